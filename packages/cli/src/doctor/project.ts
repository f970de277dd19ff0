import { MortiseProblem } from '@mortise/client'
import { type Check, failed, ok } from './check.ts'

export const project: Check = {
  name: 'project',
  needs: 'service',
  async run({ mortise, settings, terminal: { signal } }) {
    if (!mortise) return []
    try {
      const { name, id } = await mortise.getProject({}, { signal })
      return [ok(`The project is ${name} (${id}).`)]
    } catch (error) {
      if (!(error instanceof MortiseProblem)) throw error
      if (error.status !== 404 && error.status !== 403) return []
      const projects = await mortise.listProjects({}, { signal }).catch(() => [])
      const names = projects.map(({ name }) => name).join(', ')
      return [
        failed(
          `There is no project ${settings.project} for this credential.`,
          `Name one with --project or MORTISE_PROJECT${names ? `: ${names}` : ''}.`,
        ),
      ]
    }
  },
}
