import { problem } from '../../../kernel/http/index.ts'

const subsystem = 'destinations'

export const ResultNotFound = problem({
  code: 'result-not-found',
  status: 404,
  title: 'Result not found',
  detail: 'The result has been deleted.',
  remedy: 'Trigger a read of the object.',
  retryable: false,
  subsystem,
})

export const ResultUrlRefused = problem({
  code: 'result-url-refused',
  status: 403,
  title: 'The download URL is not valid',
  detail: 'The signature of the URL is wrong, or the URL was changed.',
  remedy: 'Use `downloadUrl` exactly as it is in the message.',
  retryable: false,
  subsystem,
})

export const ResultUrlExpired = problem({
  code: 'result-url-expired',
  status: 410,
  title: 'The download URL has expired',
  detail: 'A download URL is valid for 15 minutes after the message was sent.',
  remedy: 'Get the message by its id (webhook-id) with an API key: its payload has a new URL.',
  retryable: false,
  subsystem,
})

export const MessageNotFound = problem({
  code: 'message-not-found',
  status: 404,
  title: 'Message not found',
  detail: 'This project has no message with this id.',
  remedy:
    'List the messages of the project to find its id. Mortise deletes finished messages after the retention time.',
  retryable: false,
  subsystem: 'messages',
})

export const ReplayNotFound = problem({
  code: 'replay-not-found',
  status: 404,
  title: 'Replay not found',
  detail: 'This project has no replay with this id.',
  remedy: 'Use the id in the response of replayMessages. Mortise deletes replays after the retention time.',
  retryable: false,
  subsystem: 'messages',
})

export const DeadLetterNotFound = problem({
  code: 'dead-letter-not-found',
  status: 404,
  title: 'Dead letter not found',
  detail: 'This project has no dead letter with this id.',
  remedy: 'List the dead letters of the project. One that was sent again or discarded is a message of another state.',
  retryable: false,
  subsystem: 'messages',
})
