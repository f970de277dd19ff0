import type { ReactNode } from 'react'
import { RowLink } from '../../parts/row-link.tsx'
import { useProjectRef } from '../../session/project.tsx'

/** A link to the page of an operation. */
export function OperationLink({ id, children }: { id: string; children: ReactNode }) {
  return <RowLink to={`/${useProjectRef()}/operations/${id}`}>{children}</RowLink>
}
