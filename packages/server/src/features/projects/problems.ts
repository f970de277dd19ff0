import { problem } from '../../kernel/http/index.ts'

export const ProjectNameTaken = problem({
  code: 'project-name-taken',
  status: 409,
  title: 'The name is taken',
  detail: 'There is a project of that name already.',
  remedy: 'Choose another name: names of projects are unique on the whole service.',
  retryable: false,
  subsystem: 'projects',
})
