/**
 * Kubernetes' protobuf bodies, over the table of built-in types.
 *
 * - `ProtobufDecoder`: a request body as JSON; make one and share it
 * - `ProtobufEncoder`: answers, and the events of watches; make one and share it
 * - `WireWriter`: builds any protobuf message
 * - `ProtobufError`: what kube-apiserver says about a malformed one
 */
export { ProtobufDecoder } from './decode-protobuf.ts';
export { ProtobufEncoder } from './encode-protobuf.ts';
export { ProtobufError } from './protobuf-error.ts';
export { WireWriter } from './wire-writer.ts';
