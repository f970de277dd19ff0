import { counted } from '../counted.ts'
import { type Check, ok, some, warning } from './check.ts'

export const installations: Check = {
  name: 'installations',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const bad: string[] = []
    let count = 0
    for await (const { id, group, healthStatus } of mortise!.each('listInstallationsForProject', {}, { signal })) {
      count++
      if (healthStatus === 'unhealthy') bad.push(group?.groupRef ? `${group.groupRef}: ${id}` : id)
    }
    return bad.length === 0
      ? [ok(`${counted(count, 'installation')}, none unhealthy.`)]
      : [
          warning(
            `${some('installation', bad)} not healthy: credentials are refused, or a read is paused after repeated failures.`,
            '`mortise list operations` shows why; `:unpause` goes on reading.',
          ),
        ]
  },
}
