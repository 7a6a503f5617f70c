import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../kube/clock.ts';
import type { ApiError } from '../../kube/errors.ts';
import { badRequest, methodNotAllowed, notAcceptable, notFound, refusal, resourceNotFound } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import type { ObjectTexts } from '../object-texts.ts';
import type { Catalog } from '../registry/catalog.ts';
import { deletedStatus, returnsDeleted } from '../registry/delete-object.ts';
import type { ObjectList } from '../registry/list-objects.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceRequest, UserInfo, WriteRequest } from '../registry/request.ts';
import { groupResourceOf, type ResourceDefinition, type Verb } from '../registry/resource-definition.ts';
import { toStorage } from '../registry/version-conversion.ts';
import { connects } from '../subresources/connect-pod.ts';
import { scaleView } from '../table/scale-view.ts';
import type { IncludeObject, TableView, TableViews } from '../table/table.ts';
import type { Answer, ProtobufWriter } from './answer.ts';
import type { ProtobufReader } from './body-decoder.ts';
import type { ListBody } from './list-body.ts';
import { integer, listQuery, truth } from './list-query.ts';
import { type Negotiated, namesKnownType, negotiate } from './negotiate.ts';
import { pageNotFound } from './page-not-found.ts';
import { type Presentation, presentList, presentObject, typeNameOf } from './present.ts';
import { RequestBodies } from './request-bodies.ts';
import type { RequestPath } from './request-path.ts';
import { streamWatch } from './watch-stream.ts';
import { deleteOptions, writeOptions } from './write-options.ts';

export interface ResourceHandlerDeps {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly views: TableViews;
  readonly clock: Clock;
  readonly texts: ObjectTexts;
  /** Loaded when the first protobuf body comes. */
  readonly protobuf: () => Promise<ProtobufReader & ProtobufWriter>;
}

/** One request to a resource, as it came in. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: RequestPath & { readonly type: 'resource' };
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly warn: (text: string) => void;
}

export const acceptedTypes =
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const acceptedStreams =
  'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

/** The verb of a request, in the words of authorization. */
export function verbOf({ method, path, query }: Pick<Incoming, 'method' | 'path' | 'query'>): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (path.watch || (!path.name && truth(query, 'watch'))) return 'watch';
      return path.name ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return path.name ? 'delete' : 'deletecollection';
    default:
      return '';
  }
}

/** Answers requests to resources; undefined when the answer is being streamed. Throws ApiError. */
export class ResourceHandler {
  readonly #deps: ResourceHandlerDeps;
  readonly #bodies: RequestBodies;

  constructor(deps: ResourceHandlerDeps) {
    this.#deps = deps;
    this.#bodies = new RequestBodies(deps);
  }

  async handle(incoming: Incoming): Promise<Answer | undefined> {
    const { path } = incoming;
    if (this.#isUnknown(incoming)) return pageNotFound;
    const resource = this.#resource(path);
    const verb = this.#checkedVerb(incoming, resource);
    const negotiated = negotiate(incoming.request.headers.accept, { custom: resource.crd !== undefined });
    if (verb === 'watch') {
      if (negotiated === undefined || negotiated.encoding === 'yaml') throw notAcceptable(acceptedStreams);
    }
    if (!negotiated) throw unacceptable(incoming.request.headers.accept ?? '');
    const target: ResourceRequest = {
      resource,
      namespace: path.namespace,
      name: path.name,
      subresource: path.subresource,
      user: incoming.user,
      warn: incoming.warn,
    };
    if (resource.warning) incoming.warn(resource.warning);
    const presentation = this.#presentation(resource, path.subresource, negotiated, incoming.query);
    if (connects(target)) {
      this.#deps.registry.connect(target, incoming.query.get('container') ?? '');
      return { status: 204, body: '' };
    }
    switch (verb) {
      case 'get':
        return ok(
          presentObject(this.#deps.registry.get(target, incoming.query.get('resourceVersion') ?? ''), presentation),
        );
      case 'list':
        return ok(this.#list(target, this.#deps.registry.list(target, listQuery(incoming.query)), presentation));
      case 'watch':
        return this.#watch(incoming, target, presentation, negotiated.encoding === 'protobuf');
      case 'create':
        return this.#create(incoming, target, presentation);
      case 'update':
        return this.#update(incoming, target, presentation);
      case 'patch':
        return this.#patch(incoming, target, presentation);
      case 'delete':
        return this.#delete(incoming, target, presentation);
      default:
        return this.#deleteCollection(incoming, target, presentation);
    }
  }

  /** Groups and versions that nothing built-in is in are answered by a part of the server that knows no Status. */
  #isUnknown({ path, method }: Incoming): boolean {
    const { group, version, plural, namespace, name } = path;
    const found = this.#deps.catalog.find(group, version, plural);
    if (!found) return group !== '' && !this.#deps.catalog.isBuiltInGroup(group);
    const everywhere = found.namespaced && !namespace && !name;
    return found.crd !== undefined && everywhere && method !== 'GET' && method !== 'HEAD';
  }

  #resource(path: Incoming['path']): ResourceDefinition {
    const resource = this.#deps.catalog.find(path.group, path.version, path.plural);
    if (!resource) throw resourceNotFound();
    if (path.namespace && !resource.namespaced) throw resourceNotFound();
    if (path.name && resource.namespaced && !path.namespace) throw resourceNotFound();
    if (path.subresource && !resource.subresources[path.subresource]) {
      if (resource.crd) throw notFound(groupResourceOf(resource), path.name);
      const [first = '', ...rest] = path.subresource.split('/');
      if (rest.length === 0 || first !== 'proxy' || !resource.subresources.proxy) throw resourceNotFound();
    }
    return resource;
  }

  #checkedVerb(incoming: Incoming, resource: ResourceDefinition): string {
    const { path } = incoming;
    const verb = verbOf(incoming);
    const allowed: readonly Verb[] = path.subresource
      ? (resource.subresources[path.subresource.split('/')[0] ?? '']?.verbs ?? [])
      : resource.verbs;
    if (!allowed.some((one) => one === verb)) throw methodNotAllowed();
    if (verb === 'create' && path.name && !path.subresource) throw methodNotAllowed();
    if (!path.name && (verb === 'update' || verb === 'patch')) throw methodNotAllowed();
    const everywhere = resource.namespaced && !path.namespace && !path.name;
    if (everywhere && verb !== 'list' && verb !== 'watch') throw methodNotAllowed();
    return verb;
  }

  #presentation(
    resource: ResourceDefinition,
    subresource: string,
    { form, formVersion }: Negotiated,
    query: URLSearchParams,
  ): Presentation {
    const include = query.get('includeObject');
    if (include && !['None', 'Metadata', 'Object'].includes(include)) {
      throw badRequest(`unrecognized includeObject value: "${include}"`);
    }
    return {
      form,
      formVersion,
      typeName: typeNameOf(resource),
      includeObject: (include as IncludeObject | null) || 'Metadata',
      view: () => this.#view(resource, subresource),
      context: { now: this.#deps.clock.now() },
    };
  }

  /** Views read the storage version. */
  #view(resource: ResourceDefinition, subresource: string): TableView {
    if (subresource === 'scale') return scaleView;
    const view = this.#deps.views(resource);
    return { columns: view.columns, row: (object, context) => view.row(toStorage(resource, object), context) };
  }

  #list({ resource }: ResourceRequest, list: ObjectList, presentation: Presentation): JsonObject | ListBody {
    return presentList(resource, list, presentation, this.#deps.texts);
  }

  async #watch(
    incoming: Incoming,
    target: ResourceRequest,
    presentation: Presentation,
    binary: boolean,
  ): Promise<undefined> {
    const { registry, clock, texts } = this.#deps;
    const stream = { clock, texts, ...(binary ? { protobuf: await this.#deps.protobuf() } : {}) };
    const asked = listQuery(incoming.query);
    const query = target.name
      ? { ...asked, fieldSelector: [`metadata.name=${target.name}`, asked.fieldSelector].filter(Boolean).join(',') }
      : asked;
    streamWatch(stream, incoming.response, query, presentation, (emit) =>
      registry.watch({ ...target, name: '' }, query, emit),
    );
  }

  async #create(incoming: Incoming, target: ResourceRequest, presentation: Presentation): Promise<Answer> {
    const write = this.#write(incoming, target, 'CreateOptions', false);
    const { value, ...faults } = await this.#bodies.object(incoming.request, target);
    const object = await this.#deps.registry.create({ ...write, ...faults }, value);
    return { status: 201, body: presentObject(object, presentation) };
  }

  async #update(incoming: Incoming, target: ResourceRequest, presentation: Presentation): Promise<Answer> {
    const write = this.#write(incoming, target, 'UpdateOptions', false);
    const { value, ...faults } = await this.#bodies.object(incoming.request, target);
    const { object, created } = await this.#deps.registry.update({ ...write, ...faults }, value);
    return { status: created ? 201 : 200, body: presentObject(object, presentation) };
  }

  async #patch(incoming: Incoming, target: ResourceRequest, presentation: Presentation): Promise<Answer> {
    const patch = await this.#bodies.patch(incoming.request, incoming.query, target.resource);
    const write = this.#write(incoming, target, 'PatchOptions', patch.type === 'apply');
    const { object, created } = await this.#deps.registry.patch(write, patch);
    return { status: created ? 201 : 200, body: presentObject(object, presentation) };
  }

  async #delete(incoming: Incoming, target: ResourceRequest, presentation: Presentation): Promise<Answer> {
    const options = deleteOptions(incoming.query, await this.#bodies.deleteOptions(incoming.request));
    const write: WriteRequest = { ...target, fieldManager: '', fieldValidation: 'Warn', dryRun: options.dryRun };
    const { object, gone } = await this.#deps.registry.delete(write, options.query);
    if (gone && !returnsDeleted.has(target.resource.collection)) return ok(deletedStatus(write, object));
    return ok(presentObject(object, presentation));
  }

  async #deleteCollection(incoming: Incoming, target: ResourceRequest, presentation: Presentation): Promise<Answer> {
    const options = deleteOptions(incoming.query, await this.#bodies.deleteOptions(incoming.request));
    const write: WriteRequest = { ...target, fieldManager: '', fieldValidation: 'Warn', dryRun: options.dryRun };
    const deleted = await this.#deps.registry.deleteCollection(write, listQuery(incoming.query), options.query);
    return ok(this.#list(target, deleted, presentation));
  }

  #write(incoming: Incoming, target: ResourceRequest, kind: string, apply: boolean): WriteRequest {
    integer(incoming.query, 'timeoutSeconds');
    const agent = incoming.request.headers['user-agent'] ?? '';
    return { ...target, ...writeOptions(incoming.query, agent, kind, apply) };
  }
}

function unacceptable(accept: string): ApiError {
  if (namesKnownType(accept)) return notAcceptable(acceptedTypes);
  const known = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  return refusal(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${known}`, {});
}

const ok = (body: JsonObject | ListBody): Answer => ({ status: 200, body });
