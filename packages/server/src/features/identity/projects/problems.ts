import { problem } from '../../../kernel/http/index.ts'

export const ProjectNameTaken = problem({
  code: 'project-name-taken',
  status: 409,
  title: 'The name is taken',
  detail: 'A project with this name already exists.',
  remedy: 'Choose another name. Project names are unique in the whole service.',
  retryable: false,
  subsystem: 'projects',
})
