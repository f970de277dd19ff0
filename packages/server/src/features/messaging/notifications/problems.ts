import { problem } from '../../../kernel/http/index.ts'

const subsystem = 'notifications'

export const TopicNotFound = problem({
  code: 'topic-not-found',
  status: 404,
  title: 'Topic not found',
  detail: 'This project has no topic with this id.',
  remedy: 'List the topics of the project to find its id.',
  retryable: false,
  subsystem,
})

export const TopicNameTaken = problem({
  code: 'topic-name-taken',
  status: 409,
  title: 'The name is taken',
  detail: 'This project already has a topic with this name.',
  remedy: 'Choose another name, or use the existing topic.',
  retryable: false,
  subsystem,
})

export const RouteNotFound = problem({
  code: 'route-not-found',
  status: 404,
  title: 'Route not found',
  detail: 'This project has no route of this kind with this id.',
  remedy: 'List the routes of the project to find its id.',
  retryable: false,
  subsystem,
})

export const RouteExists = problem({
  code: 'route-exists',
  status: 409,
  title: 'The route already exists',
  detail: 'This project already has a route between these two.',
  remedy: 'Use the existing route.',
  retryable: false,
  subsystem,
})
