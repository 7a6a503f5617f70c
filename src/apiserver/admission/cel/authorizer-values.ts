import type { Environment } from '@marcbachmann/cel-js';
import type { Attributes } from '../../auth/attributes.ts';
import type { Decision } from '../../auth/rbac.ts';
import { CelValueError } from '../../crd/cel/cel-value-error.ts';
import type { UserInfo } from '../../registry/request.ts';
import { dns1123Label, dns1123Subdomain } from '../../validation/names.ts';

/** The `authorizer` variable of admission expressions (apiserver cel/library/authz.go). */

export type Decide = (user: UserInfo, attributes: Attributes) => Decision;

type ResourceAttributes = Extract<Attributes, { type: 'resource' }>;

class PathCheck {
  readonly authorizer: Authorizer;
  readonly path: string;

  constructor(authorizer: Authorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }

  check(verb: string): CelDecision {
    return this.authorizer.ask({ type: 'path', verb, path: this.path });
  }
}

class GroupCheck {
  readonly authorizer: Authorizer;
  readonly group: string;

  constructor(authorizer: Authorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck {
  readonly authorizer: Authorizer;
  readonly what: Omit<ResourceAttributes, 'verb'>;

  constructor(authorizer: Authorizer, what: Omit<ResourceAttributes, 'verb'>) {
    this.authorizer = authorizer;
    this.what = what;
  }

  with(fields: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.what, ...fields });
  }

  check(verb: string): CelDecision {
    return this.authorizer.ask({ ...this.what, verb });
  }
}

class CelDecision {
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: Decision) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

/** Asks what a user may do; `requestResource` is the check of what the request is about. */
export class Authorizer {
  readonly #decide: Decide;
  readonly #user: UserInfo;
  readonly requestResource: ResourceCheck;

  constructor(decide: Decide, user: UserInfo, about: Omit<ResourceAttributes, 'verb'>) {
    this.#decide = decide;
    this.#user = user;
    this.requestResource = new ResourceCheck(this, about);
  }

  ask(attributes: Attributes): CelDecision {
    return new CelDecision(this.#decide(this.#user, attributes));
  }

  serviceAccount(namespace: string, name: string): Authorizer {
    if (dns1123Subdomain(name).length > 0) throw new CelValueError('Invalid service account name');
    if (dns1123Label(namespace).length > 0) throw new CelValueError('Invalid service account namespace');
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const user = { name: `system:serviceaccount:${namespace}:${name}`, groups };
    return new Authorizer(this.#decide, user, this.requestResource.what);
  }
}

const present = (text: string, what: string): string => {
  if (text.trim() === '') throw new CelValueError(`${what} must not be empty`);
  return text;
};

const PREFIX = 'kubernetes.authorization';

/** Types and functions of `authorizer`; the variable itself is added where an expression may use it. */
export const registerAuthorizer = (env: Environment): void => {
  const [authorizer, path, group, resource, decision] = [
    `${PREFIX}.Authorizer`,
    `${PREFIX}.PathCheck`,
    `${PREFIX}.GroupCheck`,
    `${PREFIX}.ResourceCheck`,
    `${PREFIX}.Decision`,
  ];
  env.registerType(decision, { ctor: CelDecision, fields: {} });
  env.registerType(path, { ctor: PathCheck, fields: {} });
  env.registerType(resource, { ctor: ResourceCheck, fields: {} });
  env.registerType(group, { ctor: GroupCheck, fields: {} });
  env.registerType(authorizer, { ctor: Authorizer, fields: { requestResource: resource } });
  env.registerFunction(`${authorizer}.path(string): ${path}`, (self: Authorizer, text: string) => {
    const given = present(text, 'path');
    return new PathCheck(self, given.startsWith('/') ? given : `/${given}`);
  });
  env.registerFunction(
    `${authorizer}.group(string): ${group}`,
    (self: Authorizer, name: string) => new GroupCheck(self, name),
  );
  env.registerFunction(
    `${authorizer}.serviceAccount(string, string): ${authorizer}`,
    (self: Authorizer, namespace: string, name: string) => self.serviceAccount(namespace, name),
  );
  env.registerFunction(`${group}.resource(string): ${resource}`, (self: GroupCheck, name: string) => {
    const plural = present(name, 'resource');
    const about = { type: 'resource', group: self.group, plural, subresource: '', namespace: '', name: '' } as const;
    return new ResourceCheck(self.authorizer, about);
  });
  for (const field of ['subresource', 'namespace', 'name'] as const) {
    env.registerFunction(`${resource}.${field}(string): ${resource}`, (self: ResourceCheck, text: string) =>
      self.with({ [field]: text }),
    );
  }
  // Role-based access control doesn't look at selectors.
  for (const field of ['fieldSelector', 'labelSelector']) {
    env.registerFunction(`${resource}.${field}(string): ${resource}`, (self: ResourceCheck) => self);
  }
  env.registerFunction(`${path}.check(string): ${decision}`, (self: PathCheck, verb: string) => self.check(verb));
  env.registerFunction(`${resource}.check(string): ${decision}`, (self: ResourceCheck, verb: string) =>
    self.check(verb),
  );
  env.registerFunction(`${decision}.allowed(): bool`, ({ allowed }: CelDecision) => allowed);
  env.registerFunction(`${decision}.reason(): string`, ({ reason }: CelDecision) => reason);
  env.registerFunction(`${decision}.errored(): bool`, () => false);
  env.registerFunction(`${decision}.error(): string`, () => '');
};

export const AUTHORIZER_TYPE = `${PREFIX}.Authorizer`;
