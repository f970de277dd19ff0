import { counted } from '../counted.ts'
import { type Check, ok, some, warning } from './check.ts'

export const connections: Check = {
  name: 'connections',
  needs: 'project',
  async run({ mortise, terminal: { signal } }) {
    const bad: string[] = []
    let count = 0
    for await (const { provider, group, status, id } of mortise!.each('listConnections', {}, { signal })) {
      count++
      if (status === 'bad_credentials') bad.push(`${group?.groupRef ?? id} at ${provider}`)
    }
    return bad.length === 0
      ? [ok(`${counted(count, 'connection')}, none with refused credentials.`)]
      : [
          warning(
            `The credentials of ${some('connection', bad)} are refused; their reads are paused.`,
            'Have these customers connect again; the reads then go on by themselves.',
          ),
        ]
  },
}
