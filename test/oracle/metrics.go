package main

import (
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"unsafe"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	crmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	_ "sigs.k8s.io/karpenter/pkg/cloudprovider/metrics"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	_ "sigs.k8s.io/karpenter/pkg/operator"
)

// metric is what somebody who scrapes can tell of a metric before it has a series.
type metric struct {
	Name       string    `json:"name"`
	Type       string    `json:"type"`
	Labels     []string  `json:"labels"`
	Buckets    []float64 `json:"buckets,omitempty"`
	Objectives []float64 `json:"objectives,omitempty"`
}

// registering stands in for the manager: controllers ask it for an event recorder when they are made, and nothing else.
type registering struct{ manager.Manager }

func (registering) GetEventRecorderFor(string) record.EventRecorder { return nil }

// metrics lists what all of Karpenter's controllers register, those behind feature gates included. The registry itself tells
// nothing of metrics without series, so that its collectors are read, and each is given a series.
func metrics(cfg worldConfig) ([]metric, error) {
	cfg.capacityBuffer, cfg.nodeOverlay, cfg.staticCapacity = true, true, true
	w, err := newWorld(cfg)
	if err != nil {
		return nil, err
	}
	controllers.NewControllers(w.ctx, registering{}, w.clock, w.client, w.events, w.cloud, w.cloud, w.cluster, nodeoverlay.NewInstanceTypeStore())
	field := reflect.ValueOf(crmetrics.Registry).Elem().FieldByName("collectorsByID")
	collectors := *(*map[uint64]prometheus.Collector)(unsafe.Pointer(field.UnsafeAddr()))
	var out []metric
	for _, c := range collectors {
		m, ok, err := describeCollector(c)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, m)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

var described = regexp.MustCompile(`(?s)fqName: "([^"]*)".*variableLabels: \{([^}]*)\}`)

// describeCollector answers false for collectors of the process and of Go's runtime, which have many metrics each.
func describeCollector(c prometheus.Collector) (metric, bool, error) {
	ch := make(chan *prometheus.Desc, 1000)
	c.Describe(ch)
	if len(ch) != 1 {
		return metric{}, false, nil
	}
	text := (<-ch).String()
	found := described.FindStringSubmatch(text)
	if found == nil {
		return metric{}, false, fmt.Errorf("can't read %s", text)
	}
	m := metric{Name: found[1], Labels: []string{}}
	if found[2] != "" {
		m.Labels = strings.Split(found[2], ",")
	}
	sort.Strings(m.Labels)
	values := make([]string, len(m.Labels))
	var sample dto.Metric
	write := func(of any) error { return of.(prometheus.Metric).Write(&sample) }
	var err error
	switch vec := c.(type) {
	case *prometheus.CounterVec:
		m.Type = "counter"
	case *prometheus.GaugeVec:
		m.Type = "gauge"
	case *prometheus.HistogramVec:
		m.Type, err = "histogram", write(vec.WithLabelValues(values...))
		for _, b := range sample.GetHistogram().GetBucket() {
			m.Buckets = append(m.Buckets, b.GetUpperBound())
		}
	case *prometheus.SummaryVec:
		m.Type, err = "summary", write(vec.WithLabelValues(values...))
		for _, q := range sample.GetSummary().GetQuantile() {
			m.Objectives = append(m.Objectives, q.GetQuantile())
		}
	case prometheus.Counter: // of the certificate watcher, which Karpenter does not run
		m.Type = "counter"
	default:
		err = fmt.Errorf("%s is a %T", m.Name, c)
	}
	return m, true, err
}
