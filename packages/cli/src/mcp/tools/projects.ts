import { z } from 'zod'
import { cursor } from '../inputs.ts'
import { rowsResult } from '../results.ts'
import { tool } from '../tool.ts'

/** Only at the service: on a computer, the settings name the project. */
export const listProjects = tool({
  name: 'list_projects',
  title: 'List projects',
  description: 'Lists the projects that the person can see. Other tools take the name or id of one as project.',
  effect: 'read',
  isGlobal: true,
  input: z.strictObject({ cursor }),
  run: async ({ cursor: from }, { connect, signal }) => {
    const projects = await (await connect()).listProjects({}, { signal })
    const rows = projects.map(({ id, name, appName, orgId }) => ({ id, name, appName, orgId }))
    return rowsResult(rows, from)
  },
})
