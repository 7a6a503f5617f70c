export type { NewEvent, Teller as Recorder } from '../events/event-writer.ts';
