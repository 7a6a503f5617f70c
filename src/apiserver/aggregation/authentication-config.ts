import type { KubeObject } from '../../kube/objects.ts';

/** What servers behind the aggregator read to know whom they may believe (kube-apiserver writes the same). */
export const authenticationConfig = (
  certificate: string,
  name: string,
): KubeObject & { readonly data: Readonly<Record<string, string>> } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
  data: {
    'client-ca-file': certificate,
    'requestheader-allowed-names': JSON.stringify([name]),
    'requestheader-client-ca-file': certificate,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  },
});
