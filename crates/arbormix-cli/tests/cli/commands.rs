//! Every command on small files: what it prints is checked against what the files hold.

use crate::support::{Folder, table};

fn lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn methods_lists_the_registry() {
    let folder = Folder::new();
    let all = folder.json("methods --json");
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, arbormix::registry::METHODS.iter().map(|m| m.name).collect::<Vec<_>>());
    let text = folder.succeed("methods");
    assert!(text.contains("experts = 12 (paper: 5)"), "{text}");
    assert!(text.contains("How many experts.") && !text.contains("logistic.solver.tolerance"), "{text}");
    let one = folder.succeed("methods mlme");
    assert!(one.contains("logistic.solver.tolerance = 1e-6") && !one.contains("BR"), "{one}");
    assert!(folder.run("methods mlm").stderr.contains("unknown method \"mlm\""));
}

#[test]
fn predictions_agree_with_the_library_and_between_formats() {
    let folder = Folder::with_model();
    let csv = folder.succeed("predict br.model test.csv --top 2");
    let json = lines(&folder.succeed("predict br.model test.csv --json --top 2"));
    let model = arbormix::load(&folder.path("br.model")).unwrap();
    let options = arbormix_data::formats::ReadOptions {
        labels: "cat,pet".parse().unwrap(),
        ..arbormix_data::formats::ReadOptions::default()
    };
    let data = arbormix_data::formats::read(&folder.path("test.csv"), &options).unwrap();
    let expected = model.predict(&data).unwrap();
    let marginals = model.marginals(&data).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>(),
        [
            "row",
            "labels",
            "probability",
            "certified",
            "bound",
            "gap",
            "nodes",
            "P(cat)",
            "P(pet)",
            "labels_1",
            "probability_1",
            "certified_1",
            "bound_1",
            "labels_2",
            "probability_2",
            "certified_2",
            "bound_2",
            "top_mass"
        ]
    );
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!((records.len(), json.len()), (10, 10));
    for (row, (record, line)) in records.iter().zip(&json).enumerate() {
        let names: Vec<&str> = expected[row].labels.members().map(|label| ["cat", "pet"][label]).collect();
        assert_eq!(&record[1], names.join(";"));
        assert_eq!(line["labels"], serde_json::json!(names));
        let probability = expected[row].log_probability.unwrap().exp();
        assert_eq!(record[2].parse::<f64>().unwrap().to_bits(), probability.to_bits());
        assert_eq!(line["probability"].as_f64().unwrap().to_bits(), probability.to_bits());
        assert_eq!(record[8].parse::<f64>().unwrap().to_bits(), marginals.get(row, 1).to_bits());
        assert_eq!(line["marginals"]["cat"].as_f64().unwrap().to_bits(), marginals.get(row, 0).to_bits());
        // The best of the best sets is the prediction.
        assert_eq!(record[9], record[1]);
        assert_eq!((&record[5], &record[11], &record[15]), ("0", "true", "true"));
        assert_eq!(line["top"][0]["labels"], line["labels"]);
        assert!(line["top"][1]["probability"].as_f64() <= line["top"][0]["probability"].as_f64());
    }
}

#[test]
fn columns_may_stand_in_another_order_and_labels_may_lack() {
    let folder = Folder::with_model();
    let rows: Vec<Vec<String>> = table(10, 2).lines().map(|line| line.split(',').map(String::from).collect()).collect();
    let reordered: String = rows.iter().map(|row| format!("{},{},{}\n", row[1], row[3], row[0])).collect();
    folder.write("reordered.csv", reordered);
    assert_eq!(folder.succeed("predict br.model test.csv"), folder.succeed("predict br.model reordered.csv"));
}

#[test]
fn the_search_is_chosen_by_inference() {
    let folder = Folder::with_model();
    folder.succeed("fit train.csv --labels cat,pet --experts 2 -o mlme.model");
    for how in ["exact", "best-expert", "annealing"] {
        let all = lines(&folder.succeed(&format!("predict mlme.model test.csv --json --inference {how}")));
        assert_eq!(all.len(), 10);
        assert!(all.iter().all(|line| line["probability"].as_f64().is_some_and(|p| p > 0.0 && p <= 1.0)));
        if how == "exact" {
            assert!(
                all.iter()
                    .all(|line| line["certified"] == true && line["bound"].as_f64() >= line["probability"].as_f64())
            );
        }
    }
}

#[test]
fn weights_count_like_repeated_rows() {
    let folder = Folder::new();
    let text = table(30, 7);
    let rows: Vec<&str> = text.lines().collect();
    let doubled: Vec<&str> = rows.iter().copied().chain(rows[1..].iter().copied()).collect();
    folder.write("once.csv", &text);
    folder.write("twice.csv", doubled.join("\n"));
    folder.write("weights.txt", "2\n".repeat(30));
    let fit = "--labels cat,pet --method br --set logistic.costs=[1] --set logistic.solver.tolerance=1e-10";
    folder.succeed(&format!("fit once.csv {fit} --weights weights.txt -o weighted.model"));
    folder.succeed(&format!("fit twice.csv {fit} -o doubled.model"));
    let marginal = |model: &str| {
        lines(&folder.succeed(&format!("predict {model} once.csv --json")))[0]["marginals"]["cat"].as_f64()
    };
    let (weighted, doubled) = (marginal("weighted.model").unwrap(), marginal("doubled.model").unwrap());
    assert!((weighted - doubled).abs() < 1e-8, "{weighted} {doubled}");
}

#[test]
fn inspect_shows_names_parameters_and_trees() {
    let folder = Folder::with_model();
    folder.succeed("fit train.csv --labels cat,pet --method ctbn --seed 5 -o ctbn.model");
    let text = folder.succeed("inspect ctbn.model");
    for part in ["method       ctbn", "2: cat, pet", "40 rows", "tree 1 of 1", "logistic.costs", "weights"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let json = folder.json("inspect ctbn.model --json");
    assert_eq!(json["params"]["seed"], 5);
    assert_eq!(json["schema"]["label_names"], serde_json::json!(["cat", "pet"]));
    assert_eq!(json["trees"][0].as_array().unwrap().len(), 2);
    let dot = folder.succeed("inspect ctbn.model --dot");
    assert!(dot.starts_with("digraph \"train\" {\n") && dot.contains("[label = \"cat\"]"), "{dot}");
}

#[test]
fn the_gate_shares_out_all_rows() {
    let folder = Folder::with_model();
    folder.succeed("fit train.csv --labels cat,pet --experts 2 -o mlme.model");
    let gate = folder.json("inspect mlme.model --json --gate-on test.csv")["gate"].clone();
    let total: f64 = gate.as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-12, "{gate}");
}

#[test]
fn quiet_is_quiet_and_piped_progress_is_plain() {
    let folder = Folder::new();
    folder.write("train.csv", table(40, 1));
    let fit = "fit train.csv --labels cat,pet --method ctbn -o m.model";
    let loud = folder.run(fit);
    assert!(loud.stderr.contains("scoring edges (") && !loud.stderr.contains('\u{1b}'), "{}", loud.stderr);
    assert_eq!(folder.run(&format!("{fit} --quiet")).stderr, "");
    assert_eq!(folder.names(), ["m.model", "train.csv"]);
}

#[test]
fn output_files_replace_old_ones_whole() {
    let folder = Folder::with_model();
    folder.write("old.csv", "x".repeat(100_000));
    folder.succeed("predict br.model test.csv -o old.csv");
    assert_eq!(String::from_utf8(folder.read("old.csv")).unwrap(), folder.succeed("predict br.model test.csv"));
    assert_eq!(folder.names(), ["br.model", "old.csv", "test.csv", "train.csv"]);
}

#[test]
fn describe_counts_what_the_file_holds() {
    let folder = Folder::new();
    folder.write("p.csv", "size,kind,cat,pet\n1,a,1,1\n2,b,1,0\n,a,0,0\n1,a,1,1\n");
    let found = folder.json("describe p.csv --labels cat,pet --json");
    let expected = [
        ("rows", 4),
        ("features", 2),
        ("nominal_features", 1),
        ("missing_cells", 1),
        ("labels", 2),
        ("distinct_label_sets", 3),
        ("rows_without_labels", 1),
        ("repeated_rows", 1),
    ];
    for (name, value) in expected {
        assert_eq!(found[name], value, "{name}");
    }
    assert_eq!(found["label_cardinality"], 1.25);
    // What is not known is neither there nor absent.
    folder.write("q.csv", "size,cat,pet\n1,1,?\n2,0,\n3,NaN,0\n4,0,0\n");
    let found = folder.json("describe q.csv --labels cat,pet --json");
    assert_eq!((&found["unknown_labels"], &found["rows_without_labels"]), (&3.into(), &1.into()));
    assert_eq!((&found["label_counts"][0]["known"], &found["label_counts"][1]["known"]), (&3.into(), &2.into()));
    assert!((found["label_cardinality"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    let text = folder.succeed("describe p.csv --labels cat,pet");
    assert!(text.contains("label cardinality  1.2500") && text.contains("cat + pet"), "{text}");
}

#[test]
fn evaluate_counts_the_matches_of_predict() {
    let folder = Folder::with_model();
    let predicted = lines(&folder.succeed("predict br.model test.csv --json"));
    let mut exact = 0;
    for (line, answer) in table(10, 2).lines().skip(1).zip(&predicted) {
        let cells: Vec<&str> = line.split(',').collect();
        let truth: Vec<&str> =
            ["cat", "pet"].into_iter().zip(&cells[2..]).filter(|(_, on)| **on == "1").map(|(n, _)| n).collect();
        exact += usize::from(answer["labels"] == serde_json::json!(truth));
    }
    let found = folder.json("evaluate br.model test.csv --json --per-label");
    assert_eq!(found["measures"]["exact_match"], exact as f64 / 10.0);
    let cats = table(10, 2).lines().skip(1).filter(|line| line.split(',').nth(2) == Some("1")).count();
    assert_eq!(found["per_label"]["cat"]["support"], cats);
    assert!(folder.succeed("evaluate br.model test.csv --per-label").contains("rows with it"));
}

#[test]
fn crossval_gives_what_fit_and_evaluate_give_on_each_fold() {
    let folder = Folder::new();
    let text = table(60, 8);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let in_first = |row: usize| row.is_multiple_of(3);
    let part = |first: bool| {
        let chosen =
            rows.iter().enumerate().filter(|(row, _)| in_first(*row) == first).map(|(_, line)| format!("{line}\n"));
        format!("size,fur,cat,pet\n{}", chosen.collect::<String>())
    };
    folder.write("all.csv", &text);
    folder.write("0.csv", part(true));
    folder.write("1.csv", part(false));
    folder.write("folds.txt", (0..60).map(|row| if in_first(row) { "0\n" } else { "1\n" }).collect::<String>());
    let all = folder.json("crossval all.csv --labels cat,pet --methods br,ctbn --fold-file folds.txt --json --seed 3");
    for (place, method) in ["br", "ctbn"].into_iter().enumerate() {
        let found = &all["methods"][place];
        assert_eq!((found["method"].as_str(), found["folds"].as_u64()), (Some(method), Some(2)));
        for (test, train) in [(0, 1), (1, 0)] {
            folder.succeed(&format!("fit {train}.csv --labels cat,pet --method {method} --seed 3 -o m"));
            let measures = folder.json(&format!("evaluate m {test}.csv --json"))["measures"].clone();
            for (name, value) in measures.as_object().unwrap() {
                assert_eq!(found["measures"][name]["folds"][test], *value, "{method} {name}");
            }
        }
        let loss = &found["measures"]["cll_loss"];
        let mean = (loss["folds"][0].as_f64().unwrap() + loss["folds"][1].as_f64().unwrap()) / 2.0;
        assert_eq!(loss["mean"], mean);
    }
}

#[test]
fn crossval_counts_misses_over_all_rows() {
    let folder = Folder::new();
    folder.write("all.csv", table(60, 8));
    let crossval = "crossval all.csv --labels cat,pet --experts 2 --folds 3 --count-misses";
    let misses = folder.json(&format!("{crossval} --json"))["methods"][0]["misses"].clone();
    assert_eq!((misses["rows"].as_u64(), misses["certified"].as_u64()), (Some(60), Some(60)));
    let text = folder.succeed(crossval);
    assert!(
        text.starts_with("60 rows, 3 folds; mean ± standard error\n") && text.contains("of 60 rows, 60 are certified"),
        "{text}"
    );
}

#[test]
fn a_preset_of_the_choice_is_what_is_fitted() {
    let folder = Folder::new();
    folder.write("all.csv", table(40, 8));
    for (preset, method, chosen) in [
        ("stack", "stack", "stack"),
        ("kernel", "mlme", "kernel"),
        ("linear", "mlme", "linear"),
        ("paper", "mlme", "paper"),
    ] {
        let fit = format!("fit all.csv --labels cat,pet --preset {preset} -o m --json --quiet");
        let told: serde_json::Value = serde_json::from_str(&folder.succeed(&fit)).unwrap();
        assert_eq!((&told["method"], &told["choice"]["chosen"]), (&method.into(), &chosen.into()));
    }
    folder.succeed("crossval all.csv --labels cat,pet --methods auto@linear,br --folds 2 --quiet");
}

#[test]
fn a_parameter_goes_to_the_methods_that_have_it() {
    let folder = Folder::new();
    folder.write("all.csv", table(40, 8));
    let run =
        |set: &str| folder.run(&format!("crossval all.csv --labels cat,pet --methods br,mlme --folds 2 --quiet {set}"));
    assert_eq!(run("--experts 2").code, 0);
    let refused = run("--set expert=2");
    assert_eq!(refused.code, 2);
    let message = "error: unknown parameter \"expert\"; known here: features, logistic, seed\n";
    assert_eq!(refused.stderr, message);
}

#[test]
fn the_demo_is_narrow_and_nobody_beats_the_truth_by_log_loss() {
    let folder = Folder::new();
    let text = folder.succeed("demo --quiet");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for part in ["ML-ME", "the truth itself", "├──", "BR says", "Try next"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let json = folder.json("demo --quiet --json");
    let loss = |place: usize| json["methods"][place]["measures"]["cll_loss_mean"].as_f64().unwrap();
    assert!((0..3).all(|method| loss(method) > loss(3)), "{json}");
    assert!(loss(2) < loss(1) && loss(1) < loss(0), "{json}");
}

#[test]
fn unknown_label_cells_are_learned_around_and_left_out_of_measures() {
    let folder = Folder::new();
    let hide = |text: &str| -> String {
        let line = |(at, line): (usize, &str)| match (at, line.rsplit_once(',')) {
            (1.., Some((rest, _))) if at.is_multiple_of(4) => format!("{rest},?\n"),
            _ => format!("{line}\n"),
        };
        text.lines().enumerate().map(line).collect()
    };
    folder.write("train.csv", hide(&table(80, 1)));
    folder.write("test.csv", hide(&table(20, 2)));
    for method in ["mlme", "ctbn"] {
        folder.succeed(&format!("fit train.csv --labels cat,pet --method {method} -o m"));
        let notes = folder.json("inspect m --json")["report"]["notes"].to_string();
        assert!(notes.contains("20 of 160 label cells are unknown"), "{notes}");
        let found = folder.json("evaluate m test.csv --json");
        assert_eq!([&found["rows"], &found["full_rows"], &found["cells"]], [20, 15, 35]);
    }
    let counts = "of 40 label cells are known and measured; 15 rows without unknown label cells";
    assert!(folder.succeed("evaluate m test.csv").contains(counts));
    assert!(folder.succeed("crossval test.csv --labels cat,pet --methods ctbn --folds 2").contains(counts));
    let found = folder.json("crossval test.csv --labels cat,pet --methods ctbn --folds 2 --json");
    assert_eq!([&found["methods"][0]["full_rows"], &found["methods"][0]["cells"]], [15, 35]);
}

#[test]
fn calibration_is_shown_drawn_and_refused_without_a_distribution() {
    let folder = Folder::with_model();
    let text = folder.succeed("evaluate br.model test.csv --calibration --plots plots");
    for claim in ["a label is present", "the predicted set is the true one", "the row has so many labels"] {
        assert!(text.contains(claim), "{text}");
    }
    let found = folder.json("evaluate br.model test.csv --calibration --json");
    let error = found["calibration"]["marginals"]["expected_error"].as_f64().unwrap();
    assert!((error - found["measures"]["calibration_error"].as_f64().unwrap()).abs() < 1e-12);
    // Ten rows with two labels: 20 cells, 10 sets, and 3 sizes of each row.
    let counts = ["marginals", "sets", "counts"].map(|kind| found["calibration"][kind]["count"].as_u64().unwrap());
    assert_eq!(counts, [20, 10, 30]);
    for name in ["marginals", "sets", "counts"] {
        let svg = String::from_utf8(folder.read(&format!("plots/{name}.svg"))).unwrap();
        let used =
            found["calibration"][name]["bins"].as_array().unwrap().iter().filter(|bin| bin["count"] != 0).count();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), used, "a point for every bin that is not empty");
    }
    folder.succeed("fit train.csv --labels cat,pet --method cc -o cc.model");
    let ran = folder.run("evaluate cc.model test.csv --calibration");
    assert!(ran.stderr.contains("note: no calibration") && ran.stderr.contains("use mlme or ctbn"), "{}", ran.stderr);
    assert!(ran.code == 0 && ran.stdout.contains("hamming_loss"), "the measures stand without it: {}", ran.stdout);
}

#[test]
fn columns_that_the_model_does_not_know_are_ignored_with_a_note() {
    let folder = Folder::with_model();
    let wider: String = table(10, 2)
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { format!("{line},note,when\n") } else { format!("{line},x,{at}\n") })
        .collect();
    folder.write("wider.csv", wider);
    let plain = folder.run("predict br.model test.csv");
    let (commands, note) = (
        ["predict br.model wider.csv", "evaluate br.model wider.csv", "explain br.model wider.csv --row 0"],
        "note: 2 columns are not among the model's features and ignored: \"note\", \"when\"\n",
    );
    for command in commands {
        let ran = folder.run(command);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stderr.matches(note).count(), 1, "{command}: {}", ran.stderr);
    }
    assert!(!plain.stderr.contains("ignored"), "{}", plain.stderr);
    assert_eq!(folder.run("predict br.model wider.csv --quiet").stdout, plain.stdout);
}

#[test]
fn a_bound_on_memory_is_kept_or_refused_and_changes_no_model() {
    let folder = Folder::new();
    folder.write("train.csv", table(60, 1));
    folder.succeed("fit train.csv --labels cat,pet --method ctbn -o free.model");
    folder.succeed("fit train.csv --labels cat,pet --method ctbn -o bounded.model --memory 1G");
    assert_eq!(folder.read("free.model"), folder.read("bounded.model"));
    let refused = folder.run("fit train.csv --labels cat,pet --method ctbn -o never.model --memory 2K");
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("the bound is 2 KiB"), "{}", refused.stderr);
    assert!(!folder.names().contains(&"never.model".to_string()));
}
