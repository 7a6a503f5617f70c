import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { WireWriter } from '../protobuf/index.ts';

/**
 * The OpenAPI v2 document as protobuf, in the messages of gnostic's OpenAPIv2.proto, which Go clients ask for. Holds what
 * our documents use of it.
 */
export function encodeSwagger(document: JsonObject): Buffer {
  return write(document, DOCUMENT);
}

/** Puts one value of a JSON document into the field `number` of a message. */
type Put = (writer: WireWriter, number: number, value: Json) => void;

interface Message {
  /** Keys of the JSON object, with the field that each becomes; lazy, since schemas hold schemas. */
  readonly fields: () => Readonly<Record<string, readonly [number, Put]>>;
  /** The field of everything whose key starts with `x-`. */
  readonly extensions?: number;
}

function write(object: JsonObject, { fields, extensions }: Message): Buffer {
  const writer = new WireWriter();
  const known = fields();
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const field = Object.hasOwn(known, key) ? known[key] : undefined;
    if (field !== undefined) field[1](writer, field[0], value);
    else if (extensions !== undefined && key.startsWith('x-')) putNamed(writer, extensions, key, any, value);
  }
  return writer.finish();
}

const asObject = (value: Json): JsonObject => (isObject(value) ? value : {});
const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

const text: Put = (writer, number, value) => writer.text(number, String(value));
const bool: Put = (writer, number, value) => writer.varint(number, value === true ? 1 : 0);
const integer: Put = (writer, number, value) => writer.varint(number, Number(value));
const double: Put = (writer, number, value) => writer.double(number, Number(value));
/** Any value, as a piece of YAML. */
const any: Put = (writer, number, value) =>
  writer.bytes(number, new WireWriter().text(2, `${JSON.stringify(value)}\n`).finish());

const each =
  (put: Put): Put =>
  (writer, number, value) => {
    for (const item of asList(value)) put(writer, number, item);
  };

const message =
  (content: Message): Put =>
  (writer, number, value) =>
    writer.bytes(number, write(asObject(value), content));

/** A message that only chooses: its field `choice(value)[0]` is the value. */
const oneOf =
  (choice: (value: Json) => readonly [number, Put]): Put =>
  (writer, number, value) => {
    const inner = new WireWriter();
    const [field, put] = choice(value);
    put(inner, field, value);
    writer.bytes(number, inner.finish());
  };

const wrapped = (put: Put, field: number): Put => oneOf(() => [field, put]);

/** An object with free keys: repeated pairs of name and value in field 1. */
const dictionary =
  (put: Put): Put =>
  (writer, number, value) => {
    const inner = new WireWriter();
    for (const [name, item] of Object.entries(asObject(value))) {
      if (item !== undefined) putNamed(inner, 1, name, put, item);
    }
    writer.bytes(number, inner.finish());
  };

function putNamed(writer: WireWriter, number: number, name: string, put: Put, value: Json): void {
  const pair = new WireWriter().text(1, name);
  put(pair, 2, value);
  writer.bytes(number, pair.finish());
}

const schema: Put = (writer, number, value) => message(SCHEMA)(writer, number, value);

const SCHEMA: Message = {
  extensions: 31,
  fields: () => SCHEMA_FIELDS,
};

const SCHEMA_FIELDS: Readonly<Record<string, readonly [number, Put]>> = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, bool],
  minimum: [9, double],
  exclusiveMinimum: [10, bool],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, bool],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, each(text)],
  enum: [20, each(any)],
  additionalProperties: [21, oneOf((value) => (typeof value === 'boolean' ? [2, bool] : [1, schema]))],
  type: [22, wrapped(each(text), 1)],
  items: [23, wrapped(each(schema), 1)],
  allOf: [24, each(schema)],
  properties: [25, dictionary(schema)],
  example: [30, any],
};

const BODY_PARAMETER: Message = {
  extensions: 6,
  fields: () => ({ description: [1, text], name: [2, text], in: [3, text], required: [4, bool], schema: [5, schema] }),
};

/** A parameter in the query has one field more than one in the path, which moves those after it. */
const plainParameter = (shift: number): Message => ({
  fields: () => ({
    required: [1, bool],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5 + shift, text],
    format: [6 + shift, text],
    uniqueItems: [19 + shift, bool],
  }),
});

const nonBody = oneOf((value) =>
  asObject(value).in === 'path' ? [4, message(plainParameter(0))] : [3, message(plainParameter(1))],
);
const parameter = wrapped(
  oneOf((value) => (asObject(value).in === 'body' ? [1, message(BODY_PARAMETER)] : [2, nonBody])),
  1,
);

const RESPONSE: Message = {
  extensions: 5,
  fields: () => ({ description: [1, text], schema: [2, wrapped(schema, 1)] }),
};

const OPERATION: Message = {
  extensions: 13,
  fields: () => ({
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, each(text)],
    consumes: [7, each(text)],
    parameters: [8, each(parameter)],
    responses: [9, dictionary(wrapped(message(RESPONSE), 1))],
    schemes: [10, each(text)],
  }),
};

const PATH_ITEM: Message = {
  extensions: 10,
  fields: () => ({
    get: [2, message(OPERATION)],
    put: [3, message(OPERATION)],
    post: [4, message(OPERATION)],
    delete: [5, message(OPERATION)],
    patch: [8, message(OPERATION)],
    parameters: [9, each(parameter)],
  }),
};

/** Paths are pairs of name and value too, but in field 2. */
const paths: Put = (writer, number, value) => {
  const inner = new WireWriter();
  for (const [path, item] of Object.entries(asObject(value))) {
    if (item !== undefined) putNamed(inner, 2, path, message(PATH_ITEM), item);
  }
  writer.bytes(number, inner.finish());
};

const DOCUMENT: Message = {
  extensions: 16,
  fields: () => ({
    swagger: [1, text],
    info: [2, message({ fields: () => ({ title: [1, text], version: [2, text], description: [3, text] }) })],
    paths: [8, paths],
    definitions: [9, dictionary(schema)],
  }),
};
