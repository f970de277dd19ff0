import { openTwoProjects } from '../../packages/server/src/kernel/db/two-projects.testkit.ts'
import type { Attack } from './attack.ts'

/**
 * Reads, updates and deletes rows of another project, in every table, by statements that forgot their condition
 * (decision 0043).
 */

export const attack: Attack = {
  id: 'S4',
  title: 'PostgreSQL shows a project its own rows alone, and none where no project is set.',
  async run() {
    const faults: string[] = []
    const kit = await openTwoProjects()
    try {
      const { tables, projects } = kit
      const figures = { tables: tables.length, statements: 0, ownRows: 0, rowsSeen: 0, rowsChanged: 0, rowsPlanted: 0 }
      const role = 'mortise_app'
      for (const table of tables)
        for (const project of [undefined, ...projects]) {
          const { seen, updated, deleted } = await kit.reach({ role, ...(project && { project }) }, table)
          const own = seen.filter((one) => one === project).length
          const seenOfOthers = seen.length - own
          const changedOfOthers = Math.max(0, (updated ?? 0) - own) + Math.max(0, (deleted ?? 0) - own)
          figures.statements += 3
          figures.ownRows += own
          figures.rowsSeen += seenOfOthers
          figures.rowsChanged += changedOfOthers
          if (seenOfOthers + changedOfOthers > 0)
            faults.push(`${table.name} shows rows of others ${project ? 'to a project' : 'where no project is set'}.`)
        }
      for (const table of tables)
        for (const project of [undefined, projects[0]]) {
          const insert = await kit.insertStatement(table, projects[1])
          figures.statements++
          const planted = await kit
            .within({ role, ...(project && { project }) }, () => kit.superuser.query(insert))
            .then(() => true)
            .catch((error: Error) => !/row-level security|partition/.test(error.message))
          if (!planted) continue
          figures.rowsPlanted++
          faults.push(`${table.name} takes a row for another project.`)
        }
      const isWhole = figures.ownRows >= 2 * tables.filter(({ isPartition }) => !isPartition).length
      if (!isWhole) faults.push('a project does not see its own rows: the attack proves nothing.')
      return { passed: figures.rowsSeen + figures.rowsChanged + figures.rowsPlanted === 0, figures, faults }
    } finally {
      await kit.close()
    }
  },
}
