/** Holds a CustomResourceDefinition until its resources are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
