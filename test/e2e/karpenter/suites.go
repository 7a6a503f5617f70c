//go:build suites

// Package karpenter keeps in go.mod what upstream's end-to-end suites are built from: they are test files, which
// `go mod tidy` does not look for in a dependency.
package karpenter

import (
	_ "github.com/onsi/ginkgo/v2"
	_ "sigs.k8s.io/karpenter/test/pkg/debug"
	_ "sigs.k8s.io/karpenter/test/pkg/environment/common"
)
