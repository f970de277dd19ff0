import { commandLine } from '../command-line.ts'
import { pluralize } from '../pluralize.ts'
import { type Check, ok, some, warning } from './check.ts'

/** More reasons than these are read in lists. */
const reasonsMax = 5

export const installations: Check = {
  name: 'installations',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const bad: string[] = []
    const reasons: string[] = []
    let first: { id: string; integrationId: string } | undefined
    let count = 0
    for await (const { id, group, healthStatus, healthReasons = [], integrationId } of mortise.each(
      'listInstallationsForProject',
      {},
      { signal },
    )) {
      count++
      if (healthStatus !== 'unhealthy') continue
      bad.push(group?.groupRef ? `${group.groupRef}: ${id}` : id)
      first ??= { id, integrationId }
      reasons.push(...healthReasons.map((reason) => `${group?.groupRef ?? id}: ${reason}`))
    }
    return first === undefined
      ? [ok(`${pluralize(count, 'installation')}, none unhealthy.`)]
      : [
          warning(
            `${some('installation', bad)} not healthy. ${reasons.slice(0, reasonsMax).join(' ')}`.trimEnd(),
            `\`mortise list failing\` lists the reasons, and \`${commandLine('list', 'operations', '--integration', first.integrationId, '--installation', first.id)}\` lists the reads. Correct the cause. Then \`mortise resume INTEGRATION --group REF\` resumes reads, \`mortise read INTEGRATION OBJECT --group REF --backfill\` repeats a backfill, and \`mortise deploy\` sets up refused subscriptions.`,
          ),
        ]
  },
}
