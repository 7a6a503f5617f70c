/**
 * The embedded Kubernetes API.
 *
 * - `ApiServer`: `open` it, reach it by `client()`, serve it by `listen`
 * - `makeCertificates`: what `listen` needs; slow, so keep the result
 * - `StateFileError`: a state file that can't be used
 */
export { ApiServer } from './api-server.ts';
export { makeCertificates, type ServerCertificates } from './auth/certificates.ts';
export { StateFileError } from './store/store-errors.ts';
