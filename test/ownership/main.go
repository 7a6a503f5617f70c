// Command ownership applies and updates objects as kube-apiserver's field manager does: it reads scenarios from standard
// input, one JSON object a line, and writes what each of their steps leads to.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

type scenario struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Steps      []step `json:"steps"`
}

type step struct {
	// Verb is apply or update.
	Verb    string         `json:"verb"`
	Manager string         `json:"manager"`
	Force   bool           `json:"force"`
	Object  map[string]any `json:"object"`
}

type outcome struct {
	Error string         `json:"error,omitempty"`
	Live  map[string]any `json:"live"`
}

func main() {
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var s scenario
		must(json.Unmarshal(input.Bytes(), &s))
		manager := managedfieldstest.NewTestFieldManager(converter, schema.FromAPIVersionAndKind(s.APIVersion, s.Kind))
		outcomes := []outcome{}
		for _, step := range s.Steps {
			object := &unstructured.Unstructured{}
			text, err := json.Marshal(step.Object)
			must(err)
			must(object.UnmarshalJSON(text))
			if step.Verb == "apply" {
				err = manager.Apply(object, step.Manager, step.Force)
			} else {
				err = manager.Update(object, step.Manager)
			}
			next := outcome{Live: manager.Live().(*unstructured.Unstructured).Object}
			if err != nil {
				next.Error = err.Error()
			}
			outcomes = append(outcomes, next)
		}
		must(output.Encode(outcomes))
	}
	must(input.Err())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
