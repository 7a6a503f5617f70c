import type { Client } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { ConfigMaps } from '../../kube/resources.ts';
import { asObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, nameOf, namespaceOf } from '../object-meta.ts';
import type { Store } from '../store/store.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Puts the certificate that this server is trusted by into every namespace (pkg/controller/certificates/rootcacertpublisher). */
export class RootCaPublisher {
  readonly #store: Store;
  readonly #client: Client;
  readonly #certificate: string;

  constructor(deps: { readonly store: Store; readonly client: Client }, certificate: string) {
    this.#store = deps.store;
    this.#client = deps.client;
    this.#certificate = certificate;
  }

  /** Publishes from now on; returns how to stop. */
  start(): () => void {
    const { revision } = this.#store;
    const stops = [
      this.#store.subscribe('namespaces', revision, ({ type, object }) => {
        if (type === 'ADDED') this.#publish(object);
      }),
      this.#store.subscribe('configmaps', revision, ({ type, object }) => {
        if (nameOf(object) !== NAME || type === 'ADDED') return;
        const namespace = this.#store.get('namespaces', namespaceOf(object));
        if (namespace !== undefined) this.#publish(namespace);
      }),
    ];
    for (const [, namespace] of this.#store.list('namespaces')) this.#publish(namespace);
    return () => {
      for (const stop of stops) stop();
    };
  }

  #publish(namespace: JsonObject): void {
    if (isDeleting(namespace)) return;
    const name = nameOf(namespace);
    const found = this.#store.get('configmaps', `${name}/${NAME}`);
    const data = { 'ca.crt': this.#certificate };
    if (asObject(found?.data)['ca.crt'] === this.#certificate) return;
    const ref = { name: NAME, namespace: name };
    const metadata = { ...ref, annotations: { 'kubernetes.io/description': DESCRIPTION } };
    const made: KubeObject & { readonly data: object } = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    const written =
      found === undefined
        ? this.#client.create(ConfigMaps, made)
        : this.#client.patch(ConfigMaps, ref, { type: 'merge', body: { data } });
    // Whoever was faster, or took the namespace away, leads back here if there is more to do.
    written.catch(() => undefined);
  }
}
