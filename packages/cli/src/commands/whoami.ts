import { MortiseProblem } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

export const addWhoami: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('whoami')))
    .description('Show which service, project and credential the commands use.')
    .addHelpText('after', '\nExample:\n  mortise whoami --format json')
    .action(async (options: ServiceOptions & FormatOptions) => {
      const { signal } = terminal
      const { mortise, settings } = await connectTo(options, terminal)
      const { credential } = settings
      const person = credential && 'session' in credential ? await mortise.getMyInfo({}, { signal }) : undefined
      // A person who signed in may have named a project without having access to it.
      const project = await mortise.getProject({}, { signal }).catch((error: unknown) => {
        if (person && error instanceof MortiseProblem && error.status === 404) return undefined
        throw error
      })
      const role = project && person?.projectRoles[project.id]?.role
      const who = {
        service: settings.url,
        ...(project && { project: { id: project.id, name: project.name, ...(role && { role }) } }),
        credential: {
          kind: person ? 'session' : 'API key',
          from: settings.source,
          ...(person && { email: person.builder.primaryEmail, builderId: person.builder.id }),
        },
        ...(person?.orgRole && {
          org: { id: person.orgRole.org.id, label: person.orgRole.org.label, role: person.orgRole.role },
        }),
      }
      if (options.format !== 'text') return printData(terminal, options.format, who)
      const access = project ? `project ${project.name}` : `no access to the project ${settings.project}`
      terminal.stdout.write(
        printable(`${who.credential.email ?? `an API key (${who.credential.from})`} at ${who.service}, ${access}\n`),
      )
    })
}
