import { pluralize } from '../pluralize.ts'
import { type Check, ok, some, warning } from './check.ts'

export const connections: Check = {
  name: 'connections',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const refused: string[] = []
    const unreachable: string[] = []
    let count = 0
    let notChecked = 0
    for await (const { provider, group, status, id, lastCheck } of mortise.each('listConnections', {}, { signal })) {
      count++
      const name = `${group?.groupRef ?? id} at ${provider}`
      const reason = lastCheck?.reason === undefined ? '' : `: ${lastCheck.reason}`
      if (status === 'bad_credentials' || lastCheck?.outcome === 'refused') refused.push(name)
      else if (lastCheck?.outcome === 'unreachable') unreachable.push(`${name}${reason}`)
      else if (lastCheck?.outcome === 'notChecked' && status === 'created') notChecked++
    }
    const findings = [
      ...(refused.length > 0
        ? [
            warning(
              `The credentials of ${some('connection', refused)} are refused; their reads are paused.`,
              'Have these customers connect again. Their reads then resume.',
            ),
          ]
        : []),
      ...(unreachable.length > 0
        ? [
            warning(
              `The providers of ${some('connection', unreachable)} could not be reached at the last check.`,
              'Check their addresses, and connect again where one is wrong.',
            ),
          ]
        : []),
    ]
    if (findings.length > 0) return findings
    const untested =
      notChecked === 0 ? '' : ` ${notChecked} cannot be checked, as their providers have no health check.`
    return [ok(`${pluralize(count, 'connection')}, none with refused credentials.${untested}`)]
  },
}
