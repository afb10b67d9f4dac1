-- Levels of the pace: trials of a higher one, and tests of a lower one where refusals are too sparse for the sequential test.

-- First step of a trial where the limit is known to 9 %. A smaller one takes more requests to tell its refusals from chance.
local STEP_LEAST = 0.08

-- Logarithms of the odds at which a trial is kept (4.5 to 1) and given up (3.5 to 1).
local TRIAL_KEPT = -1.5
local TRIAL_FAILED = 1.25

-- Requests after which refusals that were taken for noise are tested once more.
local DOUBT_AFTER = 500

local function start_level(s, now)
  s.level_n = 0
  s.level_refused = 0
  s.level_at = now
end

-- Wald's sequential test of a trial, as the logarithm of odds. Either its requests are refused like all others, or all that it adds
-- to the pace is refused, which is what a limit at the old pace does. A request counts once its refusal would have been heard.
local function trial_odds(s, now)
  local noise = math.max(0.002, s.noise)
  local more = s.trial / (1 + s.trial) * (1 - noise)
  local unheard = math.max(60, 3 * s.refusal_ms) / math.max(now - s.level_at, 1)
  local passed = math.max(0, s.level_n * (1 - unheard) - s.level_refused)
  return s.level_refused * math.log((noise + more) / noise) + passed * math.log((1 - noise - more) / (1 - noise))
end

-- The limit lies between the level and the trial.
local function fail_trial(s)
  s.confidence = s.trial < 0.15 and math.min(3, s.confidence + 1) or 0
  s.step = math.max(STEP_LEAST, s.trial / 3)
end

local function plan_trial(s, n)
  s.trial = 0
  s.since = 0
  if s.confidence == 0 then
    s.hold = n < 20 and 8 or 4
  else
    local costly = s.refusals > 0.01 * s.accepted and 1.5 or 0.7
    s.hold = math.max(30, 120 * costly * (s.confidence > 1 and 1.3 or 1))
  end
  s.hold = math.min(s.hold, math.max(s.confidence > 0 and 90 or 30, 1.5 * s.window * s.rate))
end

-- A lower pace, by this share.
local function cut_pace(s, cut, now)
  s.test_cut = cut
  s.rate = s.test_rate * (1 - cut)
  start_level(s, now)
end

-- Refusals that are too sparse for the sequential test: does a lower pace lower their share? A window of n requests refuses
-- one in n + 1 at the slightest excess, so that the first cut is a quarter of the share.
local function suspect_pace(s, now)
  local n, k = s.level_n, s.level_refused
  -- A pace above the limit of a bucket is refused evenly, and raises the estimate of the noise: what is taken for noise is
  -- tested now and then all the same.
  local doubtful = s.seq - s.tested_seq > DOUBT_AFTER and k >= 5 and k > 0.012 * n
  local beyond_noise = k >= 3 and k > 2 * s.noise * n + 1.5 * math.sqrt(s.noise * n)
  if s.trial > 0 or s.test_share ~= nil or not doubtful and not beyond_noise then
    return
  end
  s.test_share = k / n
  s.test_rate = s.rate
  s.test_n = math.max(16, math.ceil(5 / s.test_share))
  cut_pace(s, math.max(0.03, 0.25 * s.test_share), now)
end

local function end_test(s, now)
  local share = s.level_refused / s.level_n
  local most = math.min(0.3, math.max(0.03, 1.1 * s.test_share))
  if share >= 0.5 * s.test_share and s.test_cut < most then
    cut_pace(s, math.min(most, 2.2 * s.test_cut), now)
    return
  end
  if share >= 0.5 * s.test_share then
    s.noise = math.min(0.1, math.max(s.noise, math.min(share, s.test_share)))
    s.tested_seq = s.seq
    s.rate = s.test_rate
  else
    s.confidence = math.max(1, s.confidence)
    s.hold = math.max(30, math.min(120, 2 * s.window * s.rate))
    s.step = 0.05
  end
  s.since = 0
  s.test_share = nil
  start_level(s, now)
end

-- levels of the pace
local function step_level(s, now)
  if s.test_share ~= nil then
    if s.level_n >= s.test_n then
      end_test(s, now)
    end
    return
  end
  if s.trial == 0 then
    local most = s.stated_exact and s.stated / s.rate - 1 or s.step
    if s.since >= s.hold and most > 0.005 then
      s.trial = math.min(s.step, most)
      s.trial_share = 0.5
      start_level(s, now)
    end
  elseif
    s.level_n >= (s.confidence == 0 and 4 or 8)
    and now - s.level_at >= s.trial_share * s.window
  then
    if s.level_n < 0.5 * (now - s.level_at) * s.rate then
      -- Something else held the requests back: the higher pace was not tried.
      start_level(s, now)
      return
    end
    if trial_odds(s, now) > TRIAL_KEPT then
      return
    end
    s.rate = s.rate * (1 + s.trial)
    s.step = math.min(1, s.step * 3)
    s.trial = s.stated_exact and math.max(0, math.min(s.step, s.stated / s.rate - 1)) or s.step
    s.trial_share = 0.25
    start_level(s, now)
  end
end
