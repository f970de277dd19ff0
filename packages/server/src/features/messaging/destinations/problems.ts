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
