/** TLS towards the API server, as Node's tls module names it. PEM texts. */
export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** How to reach one cluster as one user. */
export interface ClusterAccess {
  /** Base URL of the API, without a trailing slash; may have a path. */
  readonly server: string;
  /** Namespace of requests that name none. */
  readonly namespace: string;
  readonly tls: TlsSettings;
  readonly proxyUrl?: string;
  /** Headers that identify the user; asked for before each request, so that tokens can be renewed. */
  headers(): Promise<Readonly<Record<string, string | readonly string[]>>>;
}
