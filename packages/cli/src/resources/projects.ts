import type { Item } from '@mortise/client'
import { all, resource, timeText } from './resource.ts'

export const projects = resource<Item<'listProjects'>>({
  name: 'projects',
  one: 'project',
  columns: [
    ['Name', ({ name }) => name],
    ['App name', ({ appName }) => appName],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listProjects({}, { signal })) },
  get: { read: ({ mortise, signal }, projectIdOrName) => mortise.getProject({ projectIdOrName }, { signal }) },
})
