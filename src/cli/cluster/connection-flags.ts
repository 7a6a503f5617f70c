/** The values of kubectl's connection flags, as the parser leaves them. */
export interface ConnectionFlags {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly 'as-group'?: readonly string[] | undefined;
  readonly 'as-uid'?: string | undefined;
  readonly 'certificate-authority'?: string | undefined;
  readonly 'client-certificate'?: string | undefined;
  readonly 'client-key'?: string | undefined;
  readonly 'insecure-skip-tls-verify'?: boolean | undefined;
  readonly 'tls-server-name'?: string | undefined;
  readonly 'request-timeout'?: string | undefined;
}
