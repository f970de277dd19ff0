import type { Item } from '@mortise/client'
import { resource, timeText, whole } from './resource.ts'

export const projects = resource<Item<'listProjects'>>({
  name: 'projects',
  one: 'project',
  columns: [
    ['Name', ({ name }) => name],
    ['App name', ({ appName }) => appName],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => whole(mortise.listProjects({}, { signal })) },
  get: { read: ({ mortise, signal }, projectIdOrName) => mortise.getProject({ projectIdOrName }, { signal }) },
})
