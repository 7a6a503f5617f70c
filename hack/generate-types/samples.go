package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"sigs.k8s.io/randfill"
)

// sample is a random object as JSON and as protobuf, both as kube-apiserver would write what it read from storage.
type sample struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	JSON       json.RawMessage `json:"json"`
	Protobuf   string          `json:"protobuf"`
}

// samples prints one line per random object, `count` of each stored kind.
func samples(scheme *runtime.Scheme, count int, seed int64) {
	raw := func(serializer.CodecFactory) []any {
		return []any{
			func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(`{"a":[1,"x",null],"b":{}}`) },
			func(f *v1.FieldsV1, c randfill.Continue) { *f = v1.FieldsV1{Raw: []byte(`{"f:a":{}}`)} },
		}
	}
	codecs := serializer.NewCodecFactory(scheme)
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, raw), rand.NewSource(seed), codecs)
	wire := protobuf.NewSerializer(scheme, scheme)
	for _, name := range served {
		gv, err := schema.ParseGroupVersion(name)
		must(err)
		if name == "apiextensions.k8s.io/v1" {
			continue // its schemas refer to themselves without an end
		}
		for _, kind := range sorted(scheme.KnownTypes(gv)) {
			object, err := scheme.New(gv.WithKind(kind))
			must(err)
			if _, ok := object.(v1.Object); !ok {
				continue
			}
			for range count {
				printSample(wire, scheme, gv.WithKind(kind), filler)
			}
		}
	}
}

func printSample(wire *protobuf.Serializer, scheme *runtime.Scheme, gvk schema.GroupVersionKind, filler *randfill.Filler) {
	object, err := scheme.New(gvk)
	must(err)
	filler.Fill(object)
	object.GetObjectKind().SetGroupVersionKind(gvk)
	bytes, err := runtime.Encode(wire, object)
	must(err)
	stored, err := scheme.New(gvk)
	must(err)
	_, _, err = wire.Decode(bytes, &gvk, stored)
	must(err)
	stored.GetObjectKind().SetGroupVersionKind(gvk)
	text, err := json.Marshal(stored)
	must(err)
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	fmt.Println(encode(sample{apiVersion, kind, text, base64.StdEncoding.EncodeToString(bytes)}))
}
