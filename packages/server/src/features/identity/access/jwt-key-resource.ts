import type { Static } from 'typebox'
import type { JwtKeyRow } from './jwt-key-store.ts'
import type { JwtKey } from './model.ts'

export function jwtKeyResource(row: JwtKeyRow): Static<typeof JwtKey> {
  return {
    id: row.id,
    projectId: row.project_id,
    label: row.label,
    algorithm: 'RSA',
    publicKeyPem: row.public_key_pem,
    active: row.active,
    createTime: row.create_time,
    updateTime: row.update_time,
  }
}
