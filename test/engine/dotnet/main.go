// Command dotnet writes the .NET SDK of a Pulumi package, as the command sdk writes the others. This is a module of its own:
// newer releases of Pulumi's generators lack this one.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// offline answers each request with an empty text. The generator downloads an icon for the package, which has none.
type offline struct{}

func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

var icon = regexp.MustCompile(`(?s) *<PackageIcon>logo\.png</PackageIcon>\n|\n  <ItemGroup>\n    <None Include="logo\.png">.*?</ItemGroup>\n`)

func withoutIcon(files map[string][]byte) error {
	delete(files, "logo.png")
	for name, text := range files {
		if strings.HasSuffix(name, ".csproj") {
			files[name] = icon.ReplaceAll(text, nil)
			if bytes.Contains(files[name], []byte("logo")) {
				return fmt.Errorf("%s still names an icon", name)
			}
		}
	}
	return nil
}

// noLoader loads no other package: the schema refers to none.
type noLoader struct{ schema.Loader }

func run() error {
	http.DefaultTransport = offline{}
	var spec schema.PackageSpec
	if err := json.NewDecoder(os.Stdin).Decode(&spec); err != nil {
		return err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, noLoader{}, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if diagnostics.HasErrors() {
		return diagnostics
	}
	files, err := dotnet.GeneratePackage("npm run sdk", pkg, nil, nil)
	if err != nil {
		return err
	}
	if err := withoutIcon(files); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(files)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
