/**
 * The three kinds of patch that carry no ownership, as pure functions of an object and a patch.
 *
 * - `applyJsonPatch`: RFC 6902, with kube-apiserver's departures and errors
 * - `applyJsonMergePatch`: RFC 7386
 * - `applyStrategicMergePatch`: merge keys and `$patch`, `$retainKeys`, `$setElementOrder`, `$deleteFromPrimitiveList`
 * - `PatchError`: says with which status kube-apiserver answers
 * - `goPrint`: a value as Go's `%v`, which messages about patches show
 */
export { goPrint } from './go-print.ts';
export { applyJsonMergePatch } from './json-merge-patch.ts';
export { applyJsonPatch } from './json-patch.ts';
export { PatchError } from './patch-error.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
