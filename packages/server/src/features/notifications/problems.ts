import { problem } from '../../kernel/http/index.ts'

const subsystem = 'notifications'

export const TopicNotFound = problem({
  code: 'topic-not-found',
  status: 404,
  title: 'No such topic',
  detail: 'This project has no topic with that id.',
  remedy: 'List the topics of the project to see their ids.',
  retryable: false,
  subsystem,
})

export const TopicNameTaken = problem({
  code: 'topic-name-taken',
  status: 409,
  title: 'The name is taken',
  detail: 'This project has a topic of that name already.',
  remedy: 'Choose another name, or use the topic that has it.',
  retryable: false,
  subsystem,
})

export const RouteNotFound = problem({
  code: 'route-not-found',
  status: 404,
  title: 'No such route',
  detail: 'This project has no route of that kind with that id.',
  remedy: 'List the routes of the project to see their ids.',
  retryable: false,
  subsystem,
})

export const RouteExists = problem({
  code: 'route-exists',
  status: 409,
  title: 'The route exists already',
  detail: 'This project has a route between these two already.',
  remedy: 'Use the route that there is; one is enough.',
  retryable: false,
  subsystem,
})
