import { loadConfig } from '../../src/cli/simulate/config.ts';
import { siteOption } from '../../src/config/index.ts';
import { type LoadedSimulation, loadSimulation, type SimulationFiles } from '../../src/simulation/load.ts';

interface RunFiles extends Omit<SimulationFiles, 'site'> {
  readonly config?: string | null;
  readonly site?: string | null;
}

/** Loads a run as `simulate` does. */
export function loadRun({ config = null, site = null, ...files }: RunFiles): LoadedSimulation {
  return loadSimulation(loadConfig(config, []), { ...files, site: site === null ? null : siteOption(site) });
}
