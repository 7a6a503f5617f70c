import type { BuiltinTypes } from '../types/index.ts';
import type { ProtobufWriter } from './answer.ts';
import type { ProtobufReader } from './body-decoder.ts';

/** Reads and writes protobuf, once somebody speaks it. */
export function protobufCodec(types: BuiltinTypes): () => Promise<ProtobufReader & ProtobufWriter> {
  let loaded: Promise<ProtobufReader & ProtobufWriter> | undefined;
  const load = async (): Promise<ProtobufReader & ProtobufWriter> => {
    const { ProtobufDecoder, ProtobufEncoder } = await import('../protobuf/index.ts');
    const [decoder, encoder] = [new ProtobufDecoder({ types }), new ProtobufEncoder({ types })];
    return {
      decode: (body, fallback) => decoder.decode(body, fallback),
      encode: (object) => encoder.encode(object),
      encodeList: (list, items) => encoder.encodeList(list, items),
      encodeEvent: (type, object) => encoder.encodeEvent(type, object),
    };
  };
  return () => {
    loaded ??= load();
    return loaded;
  };
}
