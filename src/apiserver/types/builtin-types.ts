import type { JsonObject } from '../kind.ts';
import { CONVERSIONS, type Conversion } from './conversions.ts';
import { zeroStruct } from './decode.ts';
import { type Field, type GoType, goName, type ScalarBase, type SpecialName, type StructType } from './go-type.ts';
import { parseField } from './parse-field.ts';
import { builtinTable, type TypeTable } from './table.ts';

const SCALARS: ReadonlySet<string> = new Set<ScalarBase>([
  'string',
  'bool',
  'int',
  'int32',
  'int64',
  'uint8',
  'uint32',
  'uint64',
  'float64',
  'bytes',
]);

const SPECIALS: Readonly<Record<SpecialName, string>> = {
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
  durationOrNanos: 'v1.TimeOrMetaDuration',
  quantity: 'resource.Quantity',
  intstr: 'intstr.IntOrString',
  raw: 'runtime.RawExtension',
  fieldsv1: 'v1.FieldsV1',
  json: 'v1.JSON',
  schemaOrBool: 'v1.JSONSchemaPropsOrBool',
  schemaOrArray: 'v1.JSONSchemaPropsOrArray',
  schemaOrStrings: 'v1.JSONSchemaPropsOrStringArray',
  any: 'interface {}',
};

const JSON_SCHEMA = 'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const META = 'meta.k8s.io/v1';

/** Looks built-in types up in the generated table. Types are built at the first look and kept, so make one and share it. */
export class BuiltinTypes {
  readonly #table: TypeTable;
  readonly #types = new Map<string, GoType>();

  readonly #conversions: Readonly<Record<string, Conversion>>;

  constructor(table: TypeTable = builtinTable, conversions = CONVERSIONS) {
    this.#table = table;
    this.#conversions = conversions;
  }

  /** Every group version of the table that kube-apiserver serves: `v1`, `apps/v1`, … */
  groupVersions(): readonly string[] {
    return Object.keys(this.#table.kinds).filter((gv) => gv !== META);
  }

  /** Kinds of a group version, lists and options included, in alphabetical order. */
  kindsOf(groupVersion: string): readonly string[] {
    return Object.keys(own(this.#table.kinds, groupVersion) ?? {});
  }

  /** The struct of a kind; the kinds of meta/v1 (`DeleteOptions`, …) are known in every group version. */
  kind(groupVersion: string, kind: string): StructType | undefined {
    const { kinds } = this.#table;
    const here = own(own(kinds, groupVersion), kind);
    if (here !== undefined) return this.struct(here);
    const id = own(kinds.v1, kind) ?? own(kinds[META], kind);
    return id?.startsWith('apimachinery.') ? this.struct(id) : undefined;
  }

  /** A struct by its id, for example `api.core.v1.PodSpec`; undefined if there is none or it isn't a struct. */
  struct(id: string): StructType | undefined {
    if (!this.#has(id)) return undefined;
    const type = this.#resolve(id, '');
    return type.kind === 'struct' ? type : undefined;
  }

  #has(id: string): boolean {
    const dot = id.lastIndexOf('.');
    return this.#table.types[id.slice(0, dot)]?.[id.slice(dot + 1)] !== undefined;
  }

  #resolve(expression: string, from: string): GoType {
    if (expression.startsWith('*')) return { kind: 'pointer', element: this.#resolve(expression.slice(1), from) };
    if (expression.startsWith('[]')) {
      const element = this.#resolve(expression.slice(2), from);
      return { kind: 'list', element, go: `[]${goName(element)}`, named: false };
    }
    if (expression.startsWith('map[')) {
      const end = expression.indexOf(']');
      const value = this.#resolve(expression.slice(end + 1), from);
      const key = this.#resolve(expression.slice(4, end), from);
      return { kind: 'map', value, go: `map[${goName(key)}]${goName(value)}` };
    }
    if (SCALARS.has(expression)) {
      return { kind: 'scalar', base: expression as ScalarBase, go: expression === 'bytes' ? '[]uint8' : expression };
    }
    const special = (SPECIALS as Readonly<Record<string, string>>)[expression];
    if (special !== undefined) return this.#special(expression as SpecialName, special);
    return this.#named(expression.includes('.') ? expression : `${from}.${expression}`);
  }

  #special(name: SpecialName, go: string): GoType {
    return name.startsWith('schemaOr')
      ? { kind: 'special', name, go, element: this.#named(JSON_SCHEMA) }
      : { kind: 'special', name, go };
  }

  #named(id: string): GoType {
    const known = this.#types.get(id);
    if (known !== undefined) return known;
    const dot = id.lastIndexOf('.');
    const [pkg, name] = [id.slice(0, dot), id.slice(dot + 1)];
    const entry = this.#table.types[pkg]?.[name];
    if (entry === undefined) throw new RangeError(`the type table has no ${id}`);
    const go = `${pkg.slice(pkg.lastIndexOf('.') + 1)}.${name}`;
    const type = typeof entry === 'string' ? rename(this.#resolve(entry, pkg), go) : this.#struct(id, name, go, entry);
    this.#types.set(id, type);
    return type;
  }

  #struct(id: string, name: string, go: string, lines: readonly string[]): StructType {
    const pkg = id.slice(0, id.length - name.length - 1);
    const atomic = lines[0] === '@atomic';
    let parsed: readonly Field[] | undefined;
    let index: ReadonlyMap<string, Field> | undefined;
    let zero: JsonObject | undefined;
    const parse = (): readonly Field[] =>
      lines.slice(atomic ? 1 : 0).map((line) => parseField(line, name, (expression) => this.#resolve(expression, pkg)));
    const convert = this.#conversions[id];
    return {
      kind: 'struct',
      id,
      name,
      go,
      atomic,
      ...(convert === undefined ? {} : { convert }),
      get fields() {
        parsed ??= parse();
        return parsed;
      },
      get byName() {
        index ??= new Map(this.fields.map((field) => [field.name, field]));
        return index;
      },
      get zero() {
        zero ??= zeroStruct(this);
        return zero;
      },
    };
  }
}

function rename(type: GoType, go: string): GoType {
  if (type.kind === 'list') return { ...type, go, named: true };
  return type.kind === 'struct' || type.kind === 'pointer' ? type : { ...type, go };
}

/** What a record from the table holds itself: names come from clients, and `constructor` is one. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}
