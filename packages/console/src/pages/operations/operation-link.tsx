import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useProjectRef } from '../../session/project.tsx'

/** A link to the page of an operation. */
export function OperationLink({ id, children }: { id: string; children: ReactNode }) {
  return <Link to={`/${useProjectRef()}/operations/${id}` as never}>{children}</Link>
}
