// Writes the table of Kubernetes' built-in types that the embedded API works from: for each type of each served group
// version its fields, as Go's reflection, the struct tags and kube-apiserver's own OpenAPI definitions tell them.
// The format is described in src/apiserver/types/table.ts. With -samples it writes random objects to test the table with,
// with -kubelet a table of the kubelet's configuration instead.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	policyv1beta1 "k8s.io/api/policy/v1beta1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	logs "k8s.io/component-base/logs/api/v1"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	kubelet "k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// served lists the group versions that kube-apiserver serves by default.
var served = []string{
	"v1",
	"admissionregistration.k8s.io/v1",
	"apiextensions.k8s.io/v1",
	"apiregistration.k8s.io/v1",
	"apps/v1",
	"authentication.k8s.io/v1",
	"authorization.k8s.io/v1",
	"autoscaling/v1",
	"autoscaling/v2",
	"batch/v1",
	"certificates.k8s.io/v1",
	"coordination.k8s.io/v1",
	"discovery.k8s.io/v1",
	"events.k8s.io/v1",
	"flowcontrol.apiserver.k8s.io/v1",
	"networking.k8s.io/v1",
	"node.k8s.io/v1",
	"policy/v1",
	"rbac.authorization.k8s.io/v1",
	"resource.k8s.io/v1",
	"scheduling.k8s.io/v1",
	"storage.k8s.io/v1",
}

// special types have their own JSON or protobuf form; the table names them by one word.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                "time",
	reflect.TypeFor[metav1.MicroTime]():                           "microtime",
	reflect.TypeFor[metav1.Duration]():                            "duration",
	reflect.TypeFor[metav1.FieldsV1]():                            "fieldsv1",
	reflect.TypeFor[resource.Quantity]():                          "quantity",
	reflect.TypeFor[resource.QuantityValue]():                     "quantity",
	reflect.TypeFor[logs.TimeOrMetaDuration]():                    "durationOrNanos",
	reflect.TypeFor[intstr.IntOrString]():                         "intstr",
	reflect.TypeFor[runtime.RawExtension]():                       "raw",
	reflect.TypeFor[apiextensions.JSON]():                         "json",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "schemaOrBool",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "schemaOrArray",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "schemaOrStrings",
}

type generator struct {
	// whether types that protobuf doesn't know tell the structs that are inlined into them
	namesAll    bool
	definitions map[string]common.OpenAPIDefinition
	// package → type → its fields, or its underlying type if it isn't a struct
	types map[string]map[string]any
}

func main() {
	scheme := clientgo.Scheme
	must(apiextensions.AddToScheme(scheme))
	must(apiregistration.AddToScheme(scheme))
	count := flag.Int("samples", 0, "print that many random objects of each kind instead of the table")
	seed := flag.Int64("seed", 1, "where samples start from")
	ofKubelet := flag.Bool("kubelet", false, "write the table of the kubelet's configuration")
	flag.Parse()
	if *count > 0 {
		samples(scheme, *count, *seed)
		return
	}
	g := &generator{
		definitions: openapi.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef(path) }),
		types:       map[string]map[string]any{},
	}
	kinds := map[string]map[string]string{}
	if *ofKubelet {
		g.namesAll = true
		configuration := reflect.TypeFor[kubelet.KubeletConfiguration]()
		kinds["kubelet.config.k8s.io/v1beta1"] = map[string]string{configuration.Name(): g.reference(configuration, "")}
		write(kinds, g.types)
		return
	}
	for _, name := range served {
		gv, err := schema.ParseGroupVersion(name)
		must(err)
		kinds[name] = map[string]string{}
		for kind, t := range scheme.KnownTypes(gv) {
			if strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") && name != "v1" {
				continue
			}
			kinds[name][kind] = g.reference(t, "")
		}
	}
	kinds["policy/v1beta1"] = map[string]string{"Eviction": g.reference(reflect.TypeFor[policyv1beta1.Eviction](), "")}
	kinds["meta.k8s.io/v1"] = map[string]string{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[metav1.PartialObjectMetadata](),
		reflect.TypeFor[metav1.PartialObjectMetadataList](),
		reflect.TypeFor[metav1.Table](),
		reflect.TypeFor[metav1.LabelSelector](),
	} {
		kinds["meta.k8s.io/v1"][t.Name()] = g.reference(t, "")
	}
	write(kinds, g.types)
}

// write prints one line per type, so that a change of one type is a change of one line.
func write(kinds map[string]map[string]string, types map[string]map[string]any) {
	fmt.Fprint(os.Stdout, "{\n\"kinds\":{")
	for i, gv := range sorted(kinds) {
		separate(i)
		fmt.Printf("%s:%s", encode(gv), encode(kinds[gv]))
	}
	fmt.Print("\n},\n\"types\":{")
	for i, pkg := range sorted(types) {
		separate(i)
		fmt.Printf("%s:{", encode(pkg))
		for j, name := range sorted(types[pkg]) {
			separate(j)
			fmt.Printf("%s:%s", encode(name), encode(types[pkg][name]))
		}
		fmt.Print("\n}")
	}
	fmt.Print("\n}\n}\n")
}

func separate(index int) {
	if index > 0 {
		fmt.Print(",")
	}
	fmt.Print("\n")
}

func encode(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(value))
	return strings.TrimSpace(text.String())
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// shortPackage is the OpenAPI name of a package without its "io.k8s." prefix.
func shortPackage(path string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path, "k8s.io/"), "/", ".")
}

// reference names a type as it is written in package `from`, and adds it to the table.
func (g *generator) reference(t reflect.Type, from string) string {
	if name, ok := special[t]; ok {
		return name
	}
	if t.PkgPath() != "" {
		pkg := shortPackage(t.PkgPath())
		g.add(pkg, t)
		if pkg == from {
			return t.Name()
		}
		return pkg + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + g.reference(t.Elem(), from)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + g.reference(t.Elem(), from)
	case reflect.Map:
		return "map[" + g.reference(t.Key(), from) + "]" + g.reference(t.Elem(), from)
	case reflect.Interface:
		return "any"
	case reflect.Struct, reflect.Func, reflect.Chan:
		panic("unexpected type " + t.String())
	default:
		return t.Kind().String()
	}
}

func (g *generator) add(pkg string, t reflect.Type) {
	if g.types[pkg] == nil {
		g.types[pkg] = map[string]any{}
	}
	if _, ok := g.types[pkg][t.Name()]; ok {
		return
	}
	g.types[pkg][t.Name()] = "" // breaks cycles
	definition, known := g.definitions["io.k8s."+pkg+"."+t.Name()]
	if t.Kind() != reflect.Struct {
		g.types[pkg][t.Name()] = g.underlying(t, pkg)
		return
	}
	fields := []string{}
	if known && definition.Schema.Extensions["x-kubernetes-map-type"] == "atomic" {
		fields = append(fields, "@atomic")
	}
	g.types[pkg][t.Name()] = g.fields(fields, t, inline{pkg: pkg}, definition.Schema)
}

func (g *generator) underlying(t reflect.Type, pkg string) string {
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + g.reference(t.Elem(), pkg)
	case reflect.Map:
		return "map[" + g.reference(t.Key(), pkg) + "]" + g.reference(t.Elem(), pkg)
	default:
		return t.Kind().String()
	}
}

// inline is the way from a type to a struct that is inlined into it.
type inline struct {
	pkg string
	// protobuf numbers on the way, each followed by a dot
	numbers string
	// true inside a struct that protobuf doesn't know, such as TypeMeta
	unnumbered bool
	// Go names on the way, which error messages show
	names []string
}

func (g *generator) fields(out []string, t reflect.Type, at inline, definition spec.Schema) []string {
	required := map[string]bool{}
	for _, name := range definition.Required {
		required[name] = true
	}
	for i := range t.NumField() {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		if tag[0] == "-" || !field.IsExported() {
			continue
		}
		number := protobufNumber(field)
		if at.unnumbered {
			number = "0"
		}
		if tag[0] == "" {
			if !field.Anonymous {
				panic("field without a JSON name: " + t.String() + "." + field.Name)
			}
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				panic("inlined pointer in " + t.String())
			}
			nested := at
			nested.names = append(append([]string{}, at.names...), field.Name)
			if number == "0" {
				nested.unnumbered = true
			} else {
				nested.numbers += number + "."
			}
			out = g.fields(out, inner, nested, definition)
			continue
		}
		property, ok := definition.Properties[tag[0]]
		words := []string{tag[0], g.reference(field.Type, at.pkg), at.numbers + number}
		for _, option := range tag[1:] {
			switch option {
			case "omitempty":
				words = append(words, "o")
			case "omitzero":
				words = append(words, "z")
			case "inline":
			default:
				panic("unknown json option " + option)
			}
		}
		if required[tag[0]] {
			words = append(words, "r")
		}
		if len(at.names) > 0 && (!at.unnumbered || g.namesAll) {
			words = append(words, "i="+strings.Join(at.names, "."))
		}
		if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
			words = append(words, "p="+strategy)
		}
		if key := field.Tag.Get("patchMergeKey"); key != "" {
			words = append(words, "k="+key)
		}
		if ok {
			words = append(words, markers(property)...)
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// markers are what only the OpenAPI definitions tell. The default comes last, since it may hold spaces.
func markers(property spec.Schema) []string {
	words := []string{}
	if listType, ok := property.Extensions["x-kubernetes-list-type"].(string); ok {
		if keys, ok := property.Extensions["x-kubernetes-list-map-keys"].([]any); ok {
			names := []string{}
			for _, key := range keys {
				names = append(names, key.(string))
			}
			listType += ":" + strings.Join(names, ",")
		}
		words = append(words, "l="+listType)
	}
	if mapType, ok := property.Extensions["x-kubernetes-map-type"].(string); ok {
		words = append(words, "m="+mapType)
	}
	if values := enum(property); values != "" {
		words = append(words, "e="+values)
	}
	if property.Default != nil {
		words = append(words, "d="+encode(property.Default))
	}
	return words
}

func enum(property spec.Schema) string {
	values := property.Enum
	if property.Items != nil && property.Items.Schema != nil && len(values) == 0 {
		values = property.Items.Schema.Enum
	}
	names := []string{}
	for _, value := range values {
		names = append(names, value.(string))
	}
	return strings.Join(names, ",")
}

func protobufNumber(field reflect.StructField) string {
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		return "0"
	}
	if _, err := strconv.Atoi(tag[1]); err != nil {
		panic("protobuf tag of " + field.Name + ": " + err.Error())
	}
	return tag[1]
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
