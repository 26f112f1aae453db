// Command sdk writes the SDK of a Pulumi package to standard output, as a JSON object of base64 texts by path. Its argument
// is the language; standard input is the package schema.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// The name that the first line of each generated file has.
const tool = "npm run sdk"

func generate(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	}
	return nil, fmt.Errorf("no generator for %q", language)
}

// noLoader loads no other package: the schema refers to none.
type noLoader struct{ schema.Loader }

func run() error {
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
	files, err := generate(os.Args[1], pkg)
	if err != nil {
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
