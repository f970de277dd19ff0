import { problem } from '../../kernel/http/index.ts'

const subsystem = 'destinations'

export const DestinationNotFound = problem({
  code: 'destination-not-found',
  status: 404,
  title: 'No such destination',
  detail: 'This project has no destination with that id or name.',
  remedy: 'List the destinations of the project to see their names and ids.',
  retryable: false,
  subsystem,
})

export const DestinationNameTaken = problem({
  code: 'destination-name-taken',
  status: 422,
  title: 'The name is taken',
  detail: 'This project has a destination of that name already.',
  remedy: 'Choose another name, or update the destination that has it.',
  retryable: false,
  subsystem,
})

export const ResultNotFound = problem({
  code: 'result-not-found',
  status: 404,
  title: 'No such result',
  detail: 'The result is no longer kept.',
  remedy: 'Read the object again with a triggered read.',
  retryable: false,
  subsystem,
})

export const ResultUrlRefused = problem({
  code: 'result-url-refused',
  status: 403,
  title: 'The download URL is not valid',
  detail: 'The URL was not signed here, or was changed.',
  remedy: 'Use downloadUrl exactly as the message brought it, without adding or removing anything.',
  retryable: false,
  subsystem,
})

export const ResultUrlExpired = problem({
  code: 'result-url-expired',
  status: 410,
  title: 'The download URL has expired',
  detail: 'A download URL is good for 15 minutes after its message was sent.',
  remedy: 'Answer the message with an error and it is sent again with a fresh URL, or read the object again.',
  retryable: false,
  subsystem,
})

export const MessageNotFound = problem({
  code: 'message-not-found',
  status: 404,
  title: 'No such message',
  detail: 'This project has no message with that id.',
  remedy: 'List the messages of the project to see their ids; ended ones are kept for the retention time.',
  retryable: false,
  subsystem: 'messages',
})

export const ReplayNotFound = problem({
  code: 'replay-not-found',
  status: 404,
  title: 'No such replay',
  detail: 'This project has no replay with that id.',
  remedy: 'Use the id that replayMessages answered; replays are kept for the retention time.',
  retryable: false,
  subsystem: 'messages',
})
