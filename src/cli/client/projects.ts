import { CliError } from '../terminal.ts';
import { type Client, readAll } from './client.ts';
import { ProjectsDocument, type ProjectsQuery } from './generated/operations.ts';

export type ProjectRow = ProjectsQuery['projects']['nodes'][number];

/** The projects that the caller may see. */
export async function allProjects(client: Client): Promise<ProjectRow[]> {
  return readAll(async (after, first) => (await client.request(ProjectsDocument, { first, after })).projects);
}

/** A project by its name or id. Throws CliError. */
export async function findProject(client: Client, wanted: string): Promise<ProjectRow> {
  const projects = await allProjects(client);
  const project = projects.find(({ id, name }) => id === wanted || name === wanted);
  if (project !== undefined) return project;
  const known = projects.length === 0 ? 'there are none' : projects.map(({ name }) => name).join(', ');
  throw new CliError(`there is no project "${wanted}"; known projects: ${known} [PROJECT_NOT_FOUND]`);
}
