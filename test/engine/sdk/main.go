// Command sdk writes the SDK of a Pulumi package to standard output, as a JSON object of base64 texts by path. Its argument
// is the language; standard input is the package schema. With a second argument, a file in PCL, it writes the program of this file in
// the language: with PCL, the engine describes what it has imported.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
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

var programGenerators = map[string]func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error){
	"nodejs": nodejs.GenerateProgram,
	"python": python.GenerateProgram,
	"go":     golang.GenerateProgram,
}

func generateProgram(language string, file string, pkg *schema.Package) (map[string][]byte, error) {
	source, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	parser := syntax.NewParser()
	if err := parser.ParseFile(source, file); err != nil {
		return nil, err
	}
	if parser.Diagnostics.HasErrors() {
		return nil, parser.Diagnostics
	}
	program, diagnostics, err := pcl.BindProgram(parser.Files, oneLoader{pkg}, pcl.NonStrictBindOptions()...)
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	files, diagnostics, err := programGenerators[language](program)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return files, err
}

// oneLoader loads this package, whatever is asked for: a program has resources of no other.
type oneLoader struct{ pkg *schema.Package }

func (l oneLoader) LoadPackage(string, *semver.Version) (*schema.Package, error) { return l.pkg, nil }

func (l oneLoader) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return l.pkg, nil
}

func (l oneLoader) LoadPackageReference(string, *semver.Version) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

func (l oneLoader) LoadPackageReferenceV2(context.Context, *schema.PackageDescriptor) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
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
	var files map[string][]byte
	if len(os.Args) > 2 {
		files, err = generateProgram(os.Args[1], os.Args[2], pkg)
	} else {
		files, err = generate(os.Args[1], pkg)
	}
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
