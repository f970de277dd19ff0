import { commandLine } from '../command-line.ts'
import { pluralize } from '../pluralize.ts'
import { type Check, ok, warning } from './check.ts'

export const destinations: Check = {
  name: 'destinations',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const all = await mortise.listDestinations({}, { signal })
    const findings = all.flatMap(({ name, status, disabledReason, firstFailureTime, failureCount }) => {
      if (status === 'disabled')
        return [
          warning(
            `The destination ${name} is disabled: ${disabledReason ?? 'on request'} Its messages wait.`,
            'Repair the endpoint, and enable it: POST …/destinations/NAME:enable.',
          ),
        ]
      if (status === 'failing')
        return [
          warning(
            `The destination ${name} fails: ${failureCount ?? 'its last'} attempts${firstFailureTime ? ` since ${firstFailureTime}` : ''}.`,
            `\`${commandLine('list', 'messages', '--destination', name)}\` lists its messages, \`mortise list attempts --message ID\` the attempts of one.`,
          ),
        ]
      return []
    })
    return findings.length > 0 ? findings : [ok(`${pluralize(all.length, 'destination')}, none failing.`)]
  },
}
