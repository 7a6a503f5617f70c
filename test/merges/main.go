// Command merges applies, updates and patches objects as kube-apiserver does: it reads scenarios from standard input, one
// JSON object a line, and writes what each of their steps leads to.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

type scenario struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Steps      []step `json:"steps"`
	// Live is what patches start from; applies and updates start from nothing.
	Live map[string]any `json:"live"`
}

type step struct {
	// Verb is apply, update or patch; a patch is a strategic one, and each is applied to the scenario's live object.
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
		gvk := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
		if s.Live != nil {
			must(output.Encode(patched(gvk, s)))
		} else {
			must(output.Encode(owned(converter, gvk, s)))
		}
	}
	must(input.Err())
}

func owned(converter managedfields.TypeConverter, gvk schema.GroupVersionKind, s scenario) []outcome {
	manager := managedfieldstest.NewTestFieldManager(converter, gvk)
	outcomes := []outcome{}
	for _, step := range s.Steps {
		object := &unstructured.Unstructured{}
		must(object.UnmarshalJSON(encoded(step.Object)))
		var err error
		if step.Verb == "apply" {
			err = manager.Apply(object, step.Manager, step.Force)
		} else {
			err = manager.Update(object, step.Manager)
		}
		outcomes = append(outcomes, result(manager.Live().(*unstructured.Unstructured).Object, err))
	}
	return outcomes
}

func patched(gvk schema.GroupVersionKind, s scenario) []outcome {
	kind, err := scheme.Scheme.New(gvk)
	must(err)
	outcomes := []outcome{}
	for _, step := range s.Steps {
		var live map[string]any
		text, err := strategicpatch.StrategicMergePatch(encoded(s.Live), encoded(step.Object), kind)
		if err == nil {
			must(json.Unmarshal(text, &live))
		}
		outcomes = append(outcomes, result(live, err))
	}
	return outcomes
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	must(err)
	return text
}

func result(live map[string]any, err error) outcome {
	next := outcome{Live: live}
	if err != nil {
		next.Error = err.Error()
	}
	return next
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
