import type { Output } from '@mortise/client'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext } from 'react'
import { includes, type Role, roleOf } from './roles.ts'
import { client } from './session.ts'

export type Me = Output<'getMyInfo'>
export type Project = Output<'listProjects'>[number]

const minutes = 60_000

export const meQuery = { queryKey: ['me'], queryFn: () => client.getMyInfo(), staleTime: 5 * minutes }
export const projectsQuery = { queryKey: ['projects'], queryFn: () => client.listProjects(), staleTime: 5 * minutes }

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

export function useProjects(): Project[] {
  return useSuspenseQuery(projectsQuery).data
}

const ProjectRef = createContext('')

/** Reads the project in the address once for all that need it: a list has thousands of links. */
export function ProjectRefProvider({ children }: { children: ReactNode }) {
  const { project } = useParams({ strict: false }) as { project?: string }
  return <ProjectRef value={project ?? ''}>{children}</ProjectRef>
}

/** The id or name of the project in the address. */
export function useProjectRef(): string {
  return useContext(ProjectRef)
}

/** The project in the address; undefined on the pages of the account. */
export function useProject(): Project | undefined {
  const ref = useProjectRef()
  const { data } = useQuery(projectsQuery)
  return data?.find(({ id, name }) => id === ref || name === ref)
}

/** The role of the signed-in person in the project of the address. */
export function useRole(): Role {
  const me = useQuery(meQuery).data
  const project = useProject()
  return roleOf((project && me?.projectRoles[project.id]?.role) ?? me?.orgRole?.role)
}

/** Whether the signed-in person may do what needs a role. The service decides; pages only hide what it would refuse. */
export function useMay(needed: Role): boolean {
  return includes(useRole(), needed)
}
