import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useProjectRef } from '../session/project.tsx'
import { paths } from './paths.ts'

/** Links to pages of the project in the address. */

export interface ProjectLinkProps {
  /** The address below the project: `customers/acme`. */
  path: string
  search?: Record<string, string>
  className?: string
  children: ReactNode
}

export function ProjectLink({ path, search, className, children }: ProjectLinkProps) {
  const project = useProjectRef()
  return (
    <Link
      to={`/${project}/${path}` as never}
      {...(search && { search: search as never })}
      {...(className !== undefined && { className })}
    >
      {children}
    </Link>
  )
}

/** A customer by name, or by ref if it has no other name. */
export function CustomerLink({ groupRef, groupName }: { groupRef: string; groupName?: string | undefined }) {
  return <ProjectLink path={paths.customer(groupRef)}>{groupName || groupRef}</ProjectLink>
}

/** A connection by its provider. */
export function ConnectionLink({ id, children }: { id: string; children: ReactNode }) {
  return <ProjectLink path={paths.connection(id)}>{children}</ProjectLink>
}
