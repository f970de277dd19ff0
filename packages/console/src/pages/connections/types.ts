import type { Output } from '@mortise/client'

export type Connection = Output<'getConnection'>

export const statusWords: Record<Connection['status'], string> = {
  working: 'Working',
  created: 'Not used yet',
  bad_credentials: 'Refused',
}
