import { type AccessRequest, type AccessRule, allows } from '../../src/kube/access-rule.ts';
import type { Client } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';

/** As in the rules: `patch karpenter.sh nodepools/status`. */
export function accessText({ verb, resource, subresource }: AccessRequest): string {
  return [verb, resource.group || 'core', subresource ? `${resource.plural}/${subresource}` : resource.plural].join(
    ' ',
  );
}

/** A client that may do what the rules allow and nothing else, and remembers what was asked of it. */
export class GuardedClient implements Client {
  /** Texts of all requests. */
  readonly used = new Set<string>();
  /** Texts of those that no rule allows. */
  readonly refused = new Set<string>();
  readonly #client: Client;
  readonly #rules: readonly AccessRule[];

  constructor(client: Client, rules: readonly AccessRule[]) {
    this.#client = client;
    this.#rules = rules;
  }

  get: Client['get'] = async (resource, ref, signal) => {
    this.#check({ verb: 'get', resource, name: ref.name });
    return await this.#client.get(resource, ref, signal);
  };
  list: Client['list'] = async (resource, options, signal) => {
    this.#check({ verb: 'list', resource });
    return await this.#client.list(resource, options, signal);
  };
  watch: Client['watch'] = (resource, options, signal) => {
    this.#check({ verb: 'watch', resource });
    return this.#client.watch(resource, options, signal);
  };
  create: Client['create'] = async (resource, object, options, signal) => {
    this.#check({ verb: 'create', resource, subresource: options?.subresource });
    return await this.#client.create(resource, object, options, signal);
  };
  update: Client['update'] = async (resource, object, options, signal) => {
    this.#check({ verb: 'update', resource, subresource: options?.subresource, name: object.metadata.name });
    return await this.#client.update(resource, object, options, signal);
  };
  patch: Client['patch'] = async (resource, ref, patch, options, signal) => {
    this.#check({ verb: 'patch', resource, subresource: options?.subresource, name: ref.name });
    return await this.#client.patch(resource, ref, patch, options, signal);
  };
  delete: Client['delete'] = async (resource, ref, options, signal) => {
    this.#check({ verb: 'delete', resource, name: ref.name });
    await this.#client.delete(resource, ref, options, signal);
  };

  #check(request: AccessRequest): void {
    const text = accessText(request);
    this.used.add(text);
    if (this.#rules.some((rule) => allows(rule, request))) return;
    this.refused.add(text);
    throw new ApiError({ code: 403, reason: 'Forbidden', message: `no rule allows: ${text}` });
  }
}
