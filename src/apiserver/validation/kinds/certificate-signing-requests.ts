import { X509Certificate } from 'node:crypto';
import { jsonEqual } from '../../../kube/json-equal.ts';
import {
  CertificateRequestError,
  checkRequestSignature,
  parseCertificateRequest,
} from '../../certificates/certificate-request.ts';
import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import type { Particulars } from './kind-rules.ts';
import { validateSignerName } from './signer-name.ts';

/** CertificateSigningRequests (pkg/apis/certificates/validation). */

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const SHORTEST = 600;
const DECISIONS = ['Approved', 'Denied'];
const CONDITIONS = 'status.conditions';
const CERTIFICATE = 'status.certificate';
const LEGACY = 'kubernetes.io/legacy-unknown';

const decoded = (base64: Json | undefined): string => Buffer.from(asString(base64), 'base64').toString('latin1');

const requestFault = (request: Json | undefined): string | undefined => {
  try {
    checkRequestSignature(parseCertificateRequest(decoded(request)));
    return undefined;
  } catch (error) {
    if (error instanceof CertificateRequestError) return error.message;
    throw error;
  }
};

/** What is wrong with an issued certificate, which may be a chain of them. */
const certificateFault = (certificate: Json | undefined): string | undefined => {
  const pem = decoded(certificate);
  if (pem === '') return undefined;
  const blocks = [...pem.matchAll(/-----BEGIN ([^\n-]+)-----\r?\n([\s\S]*?)-----END \1-----/g)];
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const [text, type = '', body = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(text);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return undefined;
};

const conditionsOf = (request: JsonObject): readonly JsonObject[] => asObjects(asObject(request.status).conditions);
const ofType = (request: JsonObject, type: string): readonly JsonObject[] =>
  conditionsOf(request).filter((condition) => condition.type === type);

const validateUsages = (usages: readonly Json[], old: readonly Json[] | undefined): readonly FieldError[] => {
  const path = 'spec.usages';
  const knownBefore = old === undefined || old.every((usage) => USAGES.includes(asString(usage)));
  const distinctBefore = old === undefined || new Set(old).size === old.length;
  return [
    ...(usages.length === 0 ? [field.required(path)] : []),
    ...usages.flatMap((usage, at) =>
      knownBefore && !USAGES.includes(asString(usage))
        ? [field.notSupported(field.index(path, at), usage, USAGES)]
        : [],
    ),
    ...usages.flatMap((usage, at) =>
      distinctBefore && usages.indexOf(usage) < at ? [field.duplicate(field.index(path, at), usage)] : [],
    ),
  ];
};

const validateCondition = (condition: JsonObject, at: number, others: readonly JsonObject[]): readonly FieldError[] => {
  const path = field.index(CONDITIONS, at);
  const [type, status] = [asString(condition.type), asString(condition.status)];
  const values = [...DECISIONS, 'Failed'].includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  const before = others.slice(0, at).map((one) => one.type);
  const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
  const words = 'Approved and Denied conditions are mutually exclusive';
  return [
    ...(type === '' ? [field.required(field.child(path, 'type'))] : []),
    ...(status === '' ? [field.required(field.child(path, 'status'))] : []),
    ...(status === '' || values.includes(status)
      ? []
      : [field.notSupported(field.child(path, 'status'), status, values)]),
    ...(opposite !== undefined && before.includes(opposite) ? [field.invalid(CONDITIONS, type, words)] : []),
    ...(before.includes(type) ? [field.duplicate(field.child(path, 'type'), type)] : []),
  ];
};

const validateRequest = (request: JsonObject, old: JsonObject | undefined): readonly FieldError[] => {
  const spec = asObject(request.spec);
  const signer = asString(spec.signerName);
  const fault = requestFault(spec.request);
  const seconds = spec.expirationSeconds;
  const legacy = signer === LEGACY && asObject(old?.spec).signerName !== LEGACY;
  const issued = asObject(request.status).certificate;
  const touched = old === undefined || asString(issued) !== asString(asObject(old.status).certificate);
  const issuedFault = touched ? certificateFault(issued) : undefined;
  return [
    ...(fault === undefined ? [] : [field.invalid('spec.request', asString(spec.request), fault)]),
    ...validateUsages(asArray(spec.usages), old && asArray(asObject(old.spec).usages)),
    ...(legacy
      ? [field.invalid('spec.signerName', signer, 'the legacy signerName is not allowed via this API version')]
      : validateSignerName('spec.signerName', signer)),
    ...(typeof seconds === 'number' && seconds < SHORTEST
      ? [
          field.invalid(
            'spec.expirationSeconds',
            seconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
    ...conditionsOf(request).flatMap(validateCondition),
    ...(issuedFault === undefined ? [] : [field.invalid(CERTIFICATE, '<certificate data>', issuedFault)]),
  ];
};

/** `decides`: the endpoint is the one that approves and denies. `signs`: it is the one that certificates come by. */
const validateUpdate =
  ({ decides = false, signs = false }: { readonly decides?: boolean; readonly signs?: boolean }) =>
  (request: JsonObject, old: JsonObject): readonly FieldError[] => {
    const errors = [...validateRequest(request, old)];
    for (const type of [...DECISIONS, 'Failed']) {
      if (ofType(request, type).length < ofType(old, type).length) {
        errors.push(field.forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`));
      }
    }
    for (const type of decides ? [] : DECISIONS) {
      const [before, now] = [ofType(old, type), ofType(request, type)];
      if (now.length > before.length) {
        errors.push(field.forbidden(CONDITIONS, `updates may not add a condition of type "${type}"`));
      } else if (now.length === before.length && !jsonEqual(before, now)) {
        errors.push(field.forbidden(CONDITIONS, `updates may not modify a condition of type "${type}"\n`));
      }
    }
    const before = asString(asObject(old.status).certificate);
    if (asString(asObject(request.status).certificate) !== before) {
      if (!signs) errors.push(field.forbidden(CERTIFICATE, 'updates may not set certificate content'));
      else if (before !== '') {
        errors.push(field.forbidden(CERTIFICATE, 'updates may not modify existing certificate content'));
      }
    }
    return errors;
  };

export const certificateSigningRequest: Particulars = {
  name: () => [],
  create: (request) => validateRequest(request, undefined),
  update: validateUpdate({}),
  status: validateUpdate({ signs: true }),
  parts: { approval: validateUpdate({ decides: true }) },
};
