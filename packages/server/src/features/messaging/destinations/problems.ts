import { problem } from '../../../kernel/http/index.ts'

const subsystem = 'destinations'

export const DestinationNotFound = problem({
  code: 'destination-not-found',
  status: 404,
  title: 'Destination not found',
  detail: 'This project has no destination with this id or name.',
  remedy: 'List the destinations of the project to find its name and id.',
  retryable: false,
  subsystem,
})

export const DestinationNameTaken = problem({
  code: 'destination-name-taken',
  status: 422,
  title: 'The name is taken',
  detail: 'This project already has a destination with this name.',
  remedy: 'Choose another name, or update the existing destination.',
  retryable: false,
  subsystem,
})

export const DestinationNotByGroup = problem({
  code: 'destination-not-by-group',
  status: 422,
  title: 'The destination has no groups',
  detail: 'This destination has another type than `by-group`, so groups and connections have no destinations there.',
  remedy: 'Use a destination of type `by-group`.',
  retryable: false,
  subsystem,
})

export const DestinationGroupNotFound = problem({
  code: 'destination-group-not-found',
  status: 404,
  title: 'The group has no destination there',
  detail: 'No destination is set for this group, so its messages go to the default.',
  remedy: 'List the groups of the destination to see which of them have one.',
  retryable: false,
  subsystem,
})

export const DestinationConnectionNotFound = problem({
  code: 'destination-connection-not-found',
  status: 404,
  title: 'The connection has no destination there',
  detail: 'No destination is set for this connection, so its messages go to the destination of its group.',
  remedy: 'List the connections of the destination to see which of them have one.',
  retryable: false,
  subsystem,
})
