import { problem } from '../../../kernel/http/index.ts'

const subsystem = 'records'

export const RecordsNotStored = problem({
  code: 'records-not-stored',
  status: 404,
  title: 'Records are not stored',
  detail: 'This project has no destination of type `records`, so Mortise stores no records.',
  remedy: 'Create a destination of type `records`, and name it as the destination of objects in your manifest.',
  retryable: false,
  subsystem,
})

export const RecordObjectNotFound = problem({
  code: 'record-object-not-found',
  status: 404,
  title: 'Object not found',
  detail: 'No record of an object of this name is stored.',
  remedy:
    'List the stored objects of the project. An object appears there with its first record. Use the name that messages have: the mapped one where the object has one.',
  retryable: false,
  subsystem,
})

export const RecordsCursorExpired = problem({
  code: 'records-cursor-expired',
  status: 410,
  title: 'The cursor has expired',
  detail: 'Since this cursor was returned, Mortise has forgotten deleted records that it would have shown.',
  remedy: 'Request all records again, without a cursor, and delete those that you no longer find.',
  retryable: false,
  subsystem,
})
