/**
 * OpenAPI documents of what the API serves: built-in kinds from the type table, custom ones from their schemas.
 *
 * - `OpenApiEndpoint`: answers /openapi/v2 and /openapi/v3; `openApiResources` tells it what is served
 * - `OpenApiPublication`: the documents of a set of resources, with hashes, each built when it is first asked for
 */
export { OpenApiEndpoint } from './endpoint.ts';
export type { OpenApiResource } from './open-api-resource.ts';
export { OpenApiPublication } from './publication.ts';
export { openApiResources } from './served-resources.ts';
