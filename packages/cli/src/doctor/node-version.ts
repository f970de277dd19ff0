import { type Check, failed, ok } from './check.ts'

const least = 20

export const nodeVersion: Check = {
  name: 'node',
  async run() {
    const { node } = process.versions
    return Number(node.split('.')[0]) >= least
      ? [ok(`Node ${node}`)]
      : [failed(`Node ${node} is too old.`, `Install Node ${least} or newer.`)]
  },
}
